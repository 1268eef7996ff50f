"""Writes the model's parameters and requests for it: python3 make_model.py

`model/layers.npy` holds the layers of a network, one below the other, as float32: 256 numbers in, three
hidden layers of 512, 16 classes out. It is not trained: what it says is of no use, what it takes is what
a trained one takes. `requests.jsonl` holds 60 bodies, {"rows": [[256 numbers], …]} of 24 rows each. Needs
nothing but Python.
"""

import array
import json
import pathlib
import random

SIZES = (256, 512, 512, 512, 16)
REQUESTS = 60
ROWS = 24
HERE = pathlib.Path(__file__).parent


def write_npy(path, numbers):
    """One dimension of float32, in NumPy's format."""
    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(numbers)},), }}"
    head = head.ljust((len(head) + 74) // 64 * 64 - 11) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode()
                     + numbers.tobytes())


def main():
    chance = random.Random(11)
    layers = array.array("f")
    for inputs, outputs in zip(SIZES, SIZES[1:]):
        scale = (2 / inputs) ** 0.5
        layers.extend(chance.gauss(0, scale) for _ in range(inputs * outputs))
    (HERE / "model").mkdir(exist_ok=True)
    write_npy(HERE / "model/layers.npy", layers)
    with open(HERE / "requests.jsonl", "w", encoding="utf-8") as file:
        for _ in range(REQUESTS):
            rows = [[round(chance.gauss(0, 1), 3) for _ in range(SIZES[0])] for _ in range(ROWS)]
            file.write(json.dumps({"rows": rows}, separators=(",", ":")) + "\n")
    print(f"{len(layers)} parameters, {REQUESTS} requests of {ROWS} rows")


if __name__ == "__main__":
    main()
