"""Trains boosted trees for server.go to evaluate: make.py ROUNDS FOLDER ROWS."""

import json
import pathlib
import sys

import xgboost
from sklearn.datasets import make_regression

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from write_rows import write_rows  # noqa: E402

FEATURES = 30

rounds, folder, rows = int(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
samples, targets = make_regression(n_samples=5000, n_features=FEATURES, noise=10, random_state=5)
booster = xgboost.train({"max_depth": 8, "eta": 0.05, "nthread": 2, "seed": 5, "base_score": 0},
                        xgboost.DMatrix(samples, targets), num_boost_round=rounds)
trees = [json.loads(tree) for tree in booster.get_dump(dump_format="json")]
(folder / "trees.json").write_text(json.dumps(trees), encoding="ascii")
write_rows(rows, FEATURES, most=300)
