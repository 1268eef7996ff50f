"""Request bodies of numbers: {"data": [[…], …]}, one to `most` samples of `features` each."""

import json
import pathlib
import random


def write_rows(path, features, most, count=40):
    chance = random.Random(3)
    bodies = []
    for i in range(count):
        samples = 1 + (most - 1) * i // (count - 1)
        bodies.append(json.dumps({"data": [[round(chance.gauss(0, 1), 3) for _ in range(features)]
                                           for _ in range(samples)]}))
    chance.shuffle(bodies)
    pathlib.Path(path).write_text("".join(body + "\n" for body in bodies), encoding="ascii")
