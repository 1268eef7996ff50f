"""Writes request bodies for the model: python3 make_requests.py [FILE], default `requests.jsonl`.

Each line is one body, {"data": [text, …]}. Sizes run from one short sentence to several hundred,
spread evenly on a logarithmic scale, in a shuffled order; every body is different.
"""

import json
import pathlib
import random
import sys

from reviews import Reviewer

ROWS = 200
MOST_SENTENCES = 1500


def main():
    path = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else
                        pathlib.Path(__file__).parent / "requests.jsonl")
    reviewer = Reviewer(seed=7)
    chance = random.Random(7)
    bodies = []
    for i in range(ROWS):
        left = max(1, round(MOST_SENTENCES ** (i / (ROWS - 1))))
        longest = chance.choice((1, 3, 12, 40))
        texts = []
        while left > 0:
            length = min(left, chance.randint(1, longest))
            texts.append(reviewer.review(chance.random() < 0.5, length))
            left -= length
        bodies.append(json.dumps({"data": texts}))
    chance.shuffle(bodies)
    path.write_text("".join(body + "\n" for body in bodies))
    sizes = sorted(map(len, bodies))
    print(f"{path}: {len(set(bodies))} different bodies of {sizes[0]} to {sizes[-1]} bytes, "
          f"half of them under {sizes[ROWS // 2]}")


if __name__ == "__main__":
    main()
