"""Beside the entry script, so that a source directory is needed."""

import functools
import operator


def product(numbers):
    return functools.reduce(operator.mul, numbers, 1)
