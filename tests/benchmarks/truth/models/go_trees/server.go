// Values by boosted trees, served by net/http as a Go program is by default: a goroutine for each
// connection, a heap that is collected when it has doubled.
package main

import (
	"encoding/json"
	"io/fs"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// As XGBoost dumps it.
type dumped struct {
	ID        int      `json:"nodeid"`
	Split     string   `json:"split"`
	Condition float64  `json:"split_condition"`
	Yes       int      `json:"yes"`
	No        int      `json:"no"`
	Leaf      float64  `json:"leaf"`
	Children  []dumped `json:"children"`
}

type node struct {
	feature int // of a leaf -1
	bound   float64
	yes, no int
	value   float64
}

type tree []node

func (t tree) add(from dumped) tree {
	for len(t) <= from.ID {
		t = append(t, node{})
	}
	if len(from.Children) == 0 {
		t[from.ID] = node{feature: -1, value: from.Leaf}
		return t
	}
	feature, err := strconv.Atoi(strings.TrimPrefix(from.Split, "f"))
	if err != nil {
		log.Fatalf("a split by %q, which is no feature: %v", from.Split, err)
	}
	t[from.ID] = node{feature: feature, bound: from.Condition, yes: from.Yes, no: from.No}
	for _, child := range from.Children {
		t = t.add(child)
	}
	return t
}

func (t tree) value(sample []float64) float64 {
	at := 0
	for t[at].feature >= 0 {
		if sample[t[at].feature] < t[at].bound {
			at = t[at].yes
		} else {
			at = t[at].no
		}
	}
	return t[at].value
}

func load() []tree {
	// Below a folder for the model's name and version, or not.
	path := ""
	err := filepath.WalkDir(os.Getenv("AZUREML_MODEL_DIR"),
		func(at string, entry fs.DirEntry, err error) error {
			if err == nil && entry.Name() == "trees.json" {
				path = at
			}
			return err
		})
	if err != nil || path == "" {
		log.Fatalf("no trees.json in the model's folder: %v", err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		log.Fatal(err)
	}
	var dump []dumped
	if err := json.Unmarshal(content, &dump); err != nil {
		log.Fatal(err)
	}
	trees := make([]tree, len(dump))
	for i, one := range dump {
		trees[i] = trees[i].add(one)
	}
	return trees
}

func main() {
	trees := load()
	features := 0
	for _, t := range trees {
		for _, n := range t {
			if n.feature >= features {
				features = n.feature + 1
			}
		}
	}
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		var request struct {
			Data [][]float64 `json:"data"`
		}
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		values := make([]float64, len(request.Data))
		for i, sample := range request.Data {
			if len(sample) < features {
				http.Error(w, "a sample has too few features", http.StatusBadRequest)
				return
			}
			for _, t := range trees {
				values[i] += t.value(sample)
			}
		}
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(map[string][]float64{"values": values}); err != nil {
			log.Print(err)
		}
	})
	server := &http.Server{Addr: ":8080", ReadHeaderTimeout: 10 * time.Second}
	log.Fatal(server.ListenAndServe())
}
