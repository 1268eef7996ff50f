"""Kinds of texts, by words and pairs of them."""

import glob
import json
import os

import joblib

model = None


def init():
    global model
    (path,) = glob.glob(os.path.join(os.environ["AZUREML_MODEL_DIR"], "**", "text.joblib"),
                        recursive=True)
    model = joblib.load(path)


def run(raw_data):
    return {"kinds": model.predict(json.loads(raw_data)["data"]).tolist()}
