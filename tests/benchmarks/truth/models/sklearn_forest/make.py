"""Trains a random forest: make.py TREES FOLDER ROWS."""

import pathlib
import sys

import joblib
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from write_rows import write_rows  # noqa: E402

FEATURES = 30

trees, folder, rows = int(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
samples, labels = make_classification(n_samples=6000, n_features=FEATURES, n_informative=20,
                                      n_classes=4, flip_y=0.1, random_state=5)
forest = RandomForestClassifier(n_estimators=trees, n_jobs=2, random_state=5)
forest.fit(samples, labels)
forest.n_jobs = 1
joblib.dump(forest, folder / "forest.joblib")
write_rows(rows, FEATURES, most=200)
