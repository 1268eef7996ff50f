"""Values by boosted trees, with XGBoost's default number of threads."""

import glob
import json
import os

import numpy
import xgboost

booster = None


def init():
    global booster
    (path,) = glob.glob(os.path.join(os.environ["AZUREML_MODEL_DIR"], "**", "trees.ubj"),
                        recursive=True)
    booster = xgboost.Booster(model_file=path)


def run(raw_data):
    samples = numpy.array(json.loads(raw_data)["data"], dtype=numpy.float32)
    return {"values": booster.inplace_predict(samples).tolist()}
