"""Trains the sentiment model: python3 train.py [FOLDER], default `model` beside this file.

Writes FOLDER/sentiment.joblib and prints how well it does on sentences it has not seen.
"""

import pathlib
import sys
import time

import joblib
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline, make_union

from reviews import Reviewer

SENTENCES = 12000
HELD_OUT = 2000


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else
                          pathlib.Path(__file__).parent / "model")
    began = time.monotonic()
    pairs = Reviewer(seed=20).labelled(SENTENCES)
    texts, labels = zip(*pairs)
    model = make_pipeline(
        make_union(TfidfVectorizer(ngram_range=(1, 3), sublinear_tf=True),
                   TfidfVectorizer(analyzer="char_wb", ngram_range=(4, 4), min_df=2)),
        LogisticRegression(C=6.0, max_iter=300))
    model.fit(texts[:-HELD_OUT], labels[:-HELD_OUT])
    accuracy = model.score(texts[-HELD_OUT:], labels[-HELD_OUT:])
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "sentiment.joblib"
    joblib.dump(model, path, compress=0)
    print(f"{path}: {path.stat().st_size / 2**20:.1f} MiB, trained on "
          f"{SENTENCES - HELD_OUT} texts in {time.monotonic() - began:.1f} s, "
          f"{accuracy:.1%} right on {HELD_OUT} unseen ones")


if __name__ == "__main__":
    main()
