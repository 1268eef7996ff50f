"""Models, datasets and sources; run by test_routes."""

import pathlib
import socket
import time

from routes_case import IMAGE, JSON, TAR, TEXT, RoutesCase, tar


class InputsTest(RoutesCase):
    def test_models(self):
        created = self.ask(201, "POST", "/models?name=m&description=d&tag=a=1&tag=b=x=y",
                           tar(weights="1"), TAR)
        self.assertEqual(created.headers["Location"], "/models/m:1")
        self.assertEqual(created.json["tags"], {"a": "1", "b": "x=y"})
        second = self.ask(201, "POST", "/models?name=m", tar(weights="2"), TAR)
        self.assertEqual(second.json["version"], 2)
        self.assertEqual(self.ask(200, "GET", "/models/m").json["id"], "m:2")
        listed = self.ask(200, "GET", "/models?name=m&tag=a&tag=b=x=y").json["value"]
        self.assertEqual([model["id"] for model in listed], ["m:1"])
        page = self.ask(200, "GET", "/models?name=m&top=1").json
        rest = self.ask(200, "GET", f"/models?name=m&top=1&cursor={page['nextCursor']}").json
        self.assertEqual([page["value"][0]["id"], rest["value"][0]["id"]], ["m:2", "m:1"])
        self.assertEqual(self.ask(200, "GET", "/models/m:2/content").body, tar(weights="2"))
        changed = self.ask(200, "PATCH", "/models/m:1", {
            "description": "e", "addTags": {"c": "3"}, "removeTags": ["a"],
            "addProperties": {"p": "q"}, "inferenceConfig": IMAGE}).json
        self.assertEqual((changed["description"], changed["tags"], changed["properties"]),
                         ("e", {"b": "x=y", "c": "3"}, {"p": "q"}))
        self.assertEqual(changed["inferenceConfig"]["image"], IMAGE["image"])
        self.ask(204, "DELETE", "/models/m:1")
        self.ask(404, "GET", "/models/m:1")
        self.ask(404, "GET", "/models/m:1/content")
        self.ask(404, "PATCH", "/models/m:1", {})
        self.ask(404, "DELETE", "/models/m:1")

    def test_weights(self):
        files = pathlib.Path(__file__).resolve().parents[1] / "fixtures/model_files"
        content = {name: (files / name).read_bytes() for name in
                   ("model.safetensors", "model.onnx", "state.pt", "forest.pkl")}
        content["cut.safetensors"] = content["model.safetensors"][:-9]
        self.ask(201, "POST", "/models?name=w", tar(**content), TAR)
        weights = self.ask(200, "GET", "/models/w:1/weights").json
        found = {file["path"]: file for file in weights["files"]}
        self.assertEqual(found.keys(), content.keys())
        self.assertEqual(found["model.safetensors"]["byType"][0],
                         {"type": "float32", "parameters": 64, "sizeInBytes": 256})
        self.assertEqual(found["cut.safetensors"]["parameters"], 0)
        self.assertIsNotNone(found["cut.safetensors"]["problem"])
        self.assertIn("RandomForestClassifier", found["forest.pkl"]["object"])
        self.assertEqual(weights["leastMemoryInBytes"],
                         276 + 212 + 164 + len(content["forest.pkl"]))
        self.ask(201, "POST", "/models?name=none", tar(a="1"), TAR)
        self.assertIsNone(self.ask(200, "GET", "/models/none/weights").json["leastMemoryInBytes"])
        self.ask(404, "GET", "/models/nosuch/weights")
        self.ask(400, "GET", "/models/w/weights?what=1")

    def test_bad_models(self):
        bad = self.ask(400, "POST", "/models?name=-&tag=a&workspace=a/b&what=1", tar(a="1"), TAR)
        self.assertEqual(self.pointers(bad), ["/name", "/tag", "/what", "/workspace"])
        self.ask(400, "POST", "/models?name=m", b"no tar", TAR)
        self.ask(415, "POST", "/models?name=m", tar(a="1"), TEXT)
        self.ask(400, "GET", "/models?top=0")
        patch = self.ask(400, "PATCH", "/models/m", {"addTags": {"a": 1}, "tags": {}})
        self.assertEqual(self.pointers(patch), ["/addTags/a", "/tags"])
        self.ask(415, "PATCH", "/models/m", "{}", TEXT)

    def test_datasets(self):
        for kind, body in [("text/plain", "a\r\n\r\nb\n"), ("application/jsonl", '"a"\n{"b":1}\n'),
                           ("text/csv", 'a\n"b,\n"\n'),
                           ("application/json", '{"rows":["a",{"base64":"/w=="}]}')]:
            with self.subTest(kind=kind):
                made = self.ask(201, "POST", "/datasets?name=d", body, {"Content-Type": kind}).json
                self.assertEqual(made["rowCount"], 2)
        self.assertEqual(self.ask(200, "GET", "/datasets/d:4/rows").json["value"],
                         ["a", {"base64": "/w=="}])
        page = self.ask(200, "GET", "/datasets/d:1/rows?top=1").json
        rest = self.ask(200, "GET", f"/datasets/d:1/rows?top=1&cursor={page['nextCursor']}").json
        self.assertEqual(page["value"] + rest["value"], ["a", "b"])
        self.assertIsNone(rest["nextCursor"])
        self.assertEqual(len(self.ask(200, "GET", "/datasets?name=d").json["value"]), 4)
        self.ask(200, "GET", "/datasets/d")
        self.ask(204, "DELETE", "/datasets/d:4")
        self.ask(404, "GET", "/datasets/d:4")
        self.ask(404, "GET", "/datasets/d:4/rows")
        self.ask(404, "DELETE", "/datasets/d:4")

    def test_bad_datasets(self):
        bad = self.ask(400, "POST", "/datasets?name=d", b"ok\n\xff\n", TEXT)
        self.assertEqual(self.pointers(bad), ["/rows/1"])
        self.ask(400, "POST", "/datasets", "a\n", TEXT)
        self.ask(415, "POST", "/datasets?name=d", "a\n", {"Content-Type": "image/png"})

    def test_sources(self):
        first = self.ask(201, "POST", "/sources", tar(score="def init(): pass"), TAR).json
        again = self.ask(201, "POST", "/sources", tar(score="def init(): pass"), TAR).json
        self.assertEqual(first, again)
        self.ask(204, "DELETE", f"/sources/{first['id']}")
        self.ask(404, "DELETE", f"/sources/{first['id']}")
        self.ask(404, "DELETE", "/sources/score")
        self.ask(400, "DELETE", f"/sources/{first['id']}?force=true")
        self.ask(400, "POST", "/sources?name=x", tar(score="1"), TAR)
        self.ask(415, "POST", "/sources", tar(score="1"), JSON)

    def test_a_source_that_is_needed(self):
        source = self.ask(201, "POST", "/sources", tar(needed="1"), TAR).json["id"]
        self.ask(201, "POST", "/models?name=needs", tar(weights="1"), TAR)
        self.ask(200, "PATCH", "/models/needs", {
            "inferenceConfig": {"entryScript": "needed", "sourceId": source}})
        refused = self.ask(409, "DELETE", f"/sources/{source}")
        self.assertIn("the inference config of the model needs:1", refused.json["detail"])
        self.ask(404, "DELETE", f"/sources/{source}?workspace=other")
        self.ask(204, "DELETE", "/models/needs")
        self.ask(204, "DELETE", f"/sources/{source}")

    def test_an_upload_that_is_cut_off_leaves_nothing(self):
        def kept():
            places = [pathlib.Path(self.server.directory.name, name)
                      for name in ("content", "trees", "incoming")]
            return sorted(str(file) for place in places for file in place.rglob("*")
                          if file.is_file())

        self.await_ends()
        before = kept()
        for route, kind in [("/models?name=cut", "application/x-tar"), ("/sources", "application/x-tar"),
                            ("/datasets?name=cut", "text/plain")]:
            with socket.create_connection(("127.0.0.1", self.server.port), timeout=60) as cut:
                cut.sendall(f"POST {route} HTTP/1.1\r\nHost: 127.0.0.1:{self.server.port}\r\n"
                            f"Content-Type: {kind}\r\nContent-Length: 100000\r\n\r\n".encode()
                            + tar(weights="1" * 20000))
        deadline = time.monotonic() + 120
        while kept() != before and time.monotonic() < deadline:
            time.sleep(0.02)
        self.assertEqual(kept(), before)
        self.ask(404, "GET", "/models/cut")
        self.ask(404, "GET", "/datasets/cut")

    def test_an_idempotency_key_makes_one_resource(self):
        key = {"Idempotency-Key": "k1"}
        first = self.ask(201, "POST", "/models?name=once", tar(a="1"), {**TAR, **key})
        again = self.ask(201, "POST", "/models?name=once", tar(a="1"), {**TAR, **key})
        self.assertEqual(first.json, again.json)
        self.ask(422, "POST", "/models?name=once", tar(a="2"), {**TAR, **key})
        key = {"Idempotency-Key": "k2"}
        self.ask(201, "POST", "/datasets?name=once", "a\n", {**TEXT, **key})
        self.ask(422, "POST", "/datasets?name=once", "b\n", {**TEXT, **key})
        key = {"Idempotency-Key": "k4"}
        self.ask(201, "POST", "/sources", tar(a="1"), {**TAR, **key})
        self.ask(422, "POST", "/sources", tar(a="2"), {**TAR, **key})
        key = {"Idempotency-Key": "k3", **JSON}
        body = {"modelIds": ["once"], "inputDatasetId": "once", "inferenceConfig": IMAGE}
        made = self.ask(202, "POST", "/profiles", body, key).json
        self.assertEqual(self.ask(202, "POST", "/profiles", body, key).json["id"], made["id"])
        self.ask(422, "POST", "/profiles", {**body, "seed": 7}, key)
        self.ask(422, "POST", "/profiles", {**body, "modelIds": ["gone"]}, key)
        self.ask(202, "POST", f"/profiles/{made['name']}/cancel")
        self.ask(400, "POST", "/profiles", body, {"Idempotency-Key": "a b", **JSON})
