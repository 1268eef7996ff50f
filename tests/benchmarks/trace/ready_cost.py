#!/usr/bin/env python3
"""What being ready to be captured costs a model that is not: CPU time of a row with and without
JAX's profiler server, in turns, in one run.

Two processes of the same program score the same rows; one has called jax.profiler.start_server.
They take turns, a block of rows each, in an order that changes with every pair, so that a host that
is faster for a while favours neither. Compared is the CPU time of each pair of blocks, and the
median over the pairs with its 95% interval (by resampling the pairs, seeded) is told.

Needs JAX in the Python that is given (`--python`, default this one).
"""

import argparse
import json
import random
import statistics
import subprocess
import sys

MODEL = """
import resource, sys
import jax, jax.numpy as jnp
if sys.argv[1] != "0":
    jax.profiler.start_server(int(sys.argv[1]))
@jax.jit
def score(layers, rows):
    for layer in layers:
        rows = jnp.tanh(rows @ layer)
    return rows.sum(axis=1)
width = int(sys.argv[2])
layers = [jnp.full((width, width), 1e-3) for _ in range(4)]
rows = jnp.ones((16, width))
def cpu():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime
def block(count):
    for _ in range(count):
        with jax.profiler.TraceAnnotation("score"):
            score(layers, rows).block_until_ready()
block(200)
print("ready", flush=True)
for line in sys.stdin:
    before = cpu()
    block(int(line))
    print(cpu() - before, flush=True)
"""
RESAMPLES = 2000


class Model:
    def __init__(self, python, port, width):
        self.process = subprocess.Popen([python, "-c", MODEL, str(port), str(width)],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if self.process.stdout.readline().strip() != "ready":
            sys.exit("ready_cost: the model did not start (is JAX there?)")

    def cpu_of(self, rows):
        self.process.stdin.write(f"{rows}\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=30)


def interval(ratios, draw):
    medians = sorted(statistics.median(draw.choices(ratios, k=len(ratios)))
                     for _ in range(RESAMPLES))
    return medians[int(0.025 * RESAMPLES)], medians[int(0.975 * RESAMPLES)]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--port", type=int, default=6011)
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--rows", type=int, default=100, help="in a block")
    parser.add_argument("--width", type=int, default=256, help="of the model's layers")
    options = parser.parse_args()
    draw = random.Random(1)
    ready, plain = (Model(options.python, port, options.width) for port in (options.port, 0))
    ratios, ready_s, plain_s = [], [], []
    for _ in range(options.pairs):
        order = [(ready, ready_s), (plain, plain_s)]
        draw.shuffle(order)
        for model, taken in order:
            taken.append(model.cpu_of(options.rows))
        ratios.append(ready_s[-1] / plain_s[-1])
    for model in (ready, plain):
        model.close()
    low, high = interval(ratios, draw)
    print(json.dumps({
        "pairs": options.pairs, "rowsInABlock": options.rows,
        "cpuMsOfARow": 1000 * statistics.median(plain_s) / options.rows,
        "percentMore": 100 * (statistics.median(ratios) - 1),
        "percentMoreInterval95": [100 * (low - 1), 100 * (high - 1)]}, indent=1))


if __name__ == "__main__":
    main()
