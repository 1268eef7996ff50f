"""Sums rows of numbers, times the weight that lies in each model's file."""

import json
import os
import pathlib

from times import product


def init():
    global weight
    folder = pathlib.Path(os.environ["AZUREML_MODEL_DIR"])
    weight = product(json.loads(file.read_text())["weight"]
                     for file in folder.rglob("weights.json"))


def run(raw_data):
    return [sum(row) * weight for row in json.loads(raw_data)["data"]]
