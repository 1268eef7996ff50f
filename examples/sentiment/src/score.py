"""Scores reviews: {"data": [text, …]} in, a label and a probability for each text out."""

import json
import os

import joblib

model = None


def init():
    global model
    model = joblib.load(os.path.join(os.environ["AZUREML_MODEL_DIR"], "model", "sentiment.joblib"))


def run(raw_data):
    texts = json.loads(raw_data)["data"]
    pleased = model.predict_proba(texts)[:, 1]
    return {"labels": ["positive" if p >= 0.5 else "negative" for p in pleased],
            "probabilities": [round(float(p), 4) for p in pleased]}
