"""Writes model/layers.npy and requests.jsonl. Needs nothing but Python."""

import json
import pathlib
import random
import struct

WIDTH, LAYERS, REQUESTS = 512, 4, 40
HERE = pathlib.Path(__file__).resolve().parent


def npy(values):
    """A one-dimensional float32 array as NumPy stores it (format 1.0)."""
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(values)},), }}"
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    head = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
    return head + struct.pack(f"<{len(values)}f", *values)


def main():
    draw = random.Random(7)
    (HERE / "model").mkdir(exist_ok=True)
    (HERE / "model/layers.npy").write_bytes(
        npy([draw.gauss(0, WIDTH ** -0.5) for _ in range(LAYERS * WIDTH * WIDTH)]))
    with open(HERE / "requests.jsonl", "w", encoding="utf-8") as out:
        for request in range(REQUESTS):
            rows = [[round(draw.uniform(-1, 1), 3) for _ in range(WIDTH)]
                    for _ in range(1 + request % 4)]
            out.write(json.dumps({"rows": rows}) + "\n")


if __name__ == "__main__":
    main()
