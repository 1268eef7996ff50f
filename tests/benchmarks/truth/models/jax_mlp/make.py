"""Writes the weights of a perceptron: make.py WIDTH FOLDER ROWS."""

import pathlib
import sys

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from write_rows import write_rows  # noqa: E402

FEATURES = 64
LAYERS = 3

width, folder, rows = int(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
random = numpy.random.default_rng(5)
sizes = [FEATURES] + [width] * LAYERS
numpy.savez(folder / "perceptron.npz",
            *(random.normal(0, size ** -0.5, (size, following)).astype(numpy.float32)
              for size, following in zip(sizes, sizes[1:])))
write_rows(rows, FEATURES, most=32)
