"""Classes by a random forest."""

import glob
import json
import os

import joblib
import numpy

model = None


def init():
    global model
    (path,) = glob.glob(os.path.join(os.environ["AZUREML_MODEL_DIR"], "**", "forest.joblib"),
                        recursive=True)
    model = joblib.load(path)


def run(raw_data):
    samples = numpy.array(json.loads(raw_data)["data"], dtype=numpy.float32)
    return {"classes": model.predict(samples).tolist()}
