"""The largest output of a perceptron, by JAX on CPU, compiled at the start for one batch size."""

import glob
import json
import os

import jax
import numpy

BATCH = 32
weights = None


@jax.jit
def perceptron(layers, samples):
    for layer in layers:
        samples = jax.nn.relu(samples @ layer)
    return samples.argmax(axis=1)


def init():
    global weights
    (path,) = glob.glob(os.path.join(os.environ["AZUREML_MODEL_DIR"], "**", "perceptron.npz"),
                        recursive=True)
    with numpy.load(path) as stored:
        weights = [jax.device_put(stored[name]) for name in stored.files]
    perceptron(weights, numpy.zeros((BATCH, weights[0].shape[0]), numpy.float32))


def run(raw_data):
    samples = numpy.array(json.loads(raw_data)["data"], dtype=numpy.float32)
    padded = numpy.zeros((BATCH, samples.shape[1]), numpy.float32)
    padded[:len(samples)] = samples
    return {"largest": numpy.asarray(perceptron(weights, padded))[:len(samples)].tolist()}
