"""The largest output of a perceptron, by ONNX Runtime with its default settings."""

import glob
import json
import os

import numpy
import onnxruntime

session = None


def init():
    global session
    (path,) = glob.glob(os.path.join(os.environ["AZUREML_MODEL_DIR"], "**", "perceptron.onnx"),
                        recursive=True)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])


def run(raw_data):
    samples = numpy.array(json.loads(raw_data)["data"], dtype=numpy.float32)
    (outputs,) = session.run(None, {"input": samples})
    return {"largest": outputs.argmax(axis=1).tolist()}
