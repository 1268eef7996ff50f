"""Classifies rows of numbers: {"rows": [[…], …]} in, a class for each row out.

Two environment variables are its variants: PRECISION, float32 or bfloat16, is that of the
parameters and of the arithmetic; BATCH_SIZE is how many rows go through the network at once.
"""

import json
import os

import jax
import jax.numpy as jnp
import numpy

SIZES = (256, 512, 512, 512, 16)
BATCH_SIZE = int(os.environ.get("BATCH_SIZE", "24"))
PRECISION = jnp.dtype(os.environ.get("PRECISION", "float32"))

layers = []


@jax.jit
def classes(parameters, rows):
    for layer in parameters[:-1]:
        rows = jax.nn.relu(rows @ layer)
    return jnp.argmax(rows @ parameters[-1], axis=1)


def init():
    flat = numpy.load(os.path.join(os.environ["AZUREML_MODEL_DIR"], "model", "layers.npy"))
    begin = 0
    for inputs, outputs in zip(SIZES, SIZES[1:]):
        end = begin + inputs * outputs
        layers.append(jnp.asarray(flat[begin:end].reshape(inputs, outputs), dtype=PRECISION))
        begin = end
    classes(layers, jnp.zeros((BATCH_SIZE, SIZES[0]), PRECISION)).block_until_ready()


def run(raw_data):
    rows = numpy.asarray(json.loads(raw_data)["rows"], dtype=numpy.float32)
    found = []
    for begin in range(0, len(rows), BATCH_SIZE):
        batch = numpy.zeros((BATCH_SIZE, SIZES[0]), numpy.float32)
        part = rows[begin:begin + BATCH_SIZE]
        batch[:len(part)] = part
        found += classes(layers, jnp.asarray(batch, dtype=PRECISION))[:len(part)].tolist()
    return {"classes": found}
