"""Keeps samples to compare with, in threads of OpenMP: make.py SAMPLES FOLDER ROWS."""

import pathlib
import sys

import joblib
from sklearn.datasets import make_regression
from sklearn.neighbors import KNeighborsRegressor

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from write_rows import write_rows  # noqa: E402

FEATURES = 30

count, folder, rows = int(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
samples, values = make_regression(n_samples=count, n_features=FEATURES, noise=10, random_state=5)
model = KNeighborsRegressor(n_neighbors=9, algorithm="brute").fit(samples, values)
joblib.dump(model, folder / "neighbours.joblib")
write_rows(rows, FEATURES, most=40)
