"""Trains a classifier of texts: make.py WORDS FOLDER ROWS."""

import json
import pathlib
import random
import sys

import joblib
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import SGDClassifier
from sklearn.pipeline import make_pipeline

TEXTS, CLASSES, ROWS = 4000, 5, 40

words, folder, rows = int(sys.argv[1]), pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
chance = random.Random(5)
vocabulary = [f"w{number:x}" for number in range(words)]


def text(length, kind):
    """Words of which some are commoner in texts of this kind."""
    return " ".join(vocabulary[int(chance.random() ** (1 + kind) * words)] for _ in range(length))


kinds = [chance.randrange(CLASSES) for _ in range(TEXTS)]
texts = [text(80, kind) for kind in kinds]
model = make_pipeline(TfidfVectorizer(ngram_range=(1, 2)), SGDClassifier(random_state=5))
model.fit(texts, kinds)
joblib.dump(model, folder / "text.joblib")
bodies = [json.dumps({"data": [text(100, 2) for _ in range(1 + 3 * row)]}) for row in range(ROWS)]
rows.write_text("".join(body + "\n" for body in bodies), encoding="ascii")
