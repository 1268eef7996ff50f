#!/usr/bin/env python3
"""A memory spike of some milliseconds planted in one row among many: is it caught, and the row named?

Caught: the measured peak holds the spike and the recommended memory covers it. Named: the row is
among the profile's heavy rows for its memory. The place of the row changes from time to time.
Goal: 500 MB held for 5 ms caught 100 of 100, row named.
"""

import random
import sys

from planted import Bench, arguments, finish, say

MIB = 1 << 20
BASE_MIB = 32


def planted_rows(options, chance):
    rows = [f"burn=5 row{i}" for i in range(options.rows)]
    at = chance.randrange(options.rows)
    rows[at] = f"burn=5 spike={options.mib}:{options.hold_ms} row{at}"
    return rows, at


def look(profile, at, mib):
    """(caught, named) of a finished profile."""
    answer = profile.get("recommendation") or {}
    peak = (profile.get("measurements") or {}).get("maxUtilizedMemoryInBytes") or 0
    need = (BASE_MIB + mib) * MIB
    heavy = (profile.get("findings") or {}).get("heavyRows", [])
    caught = peak >= 0.99 * need and answer.get("requestedMemoryInBytes", 0) >= need
    return caught, any(row["row"] == at and row["why"] == "memory" for row in heavy)


def main():
    parser = arguments(__doc__, times=5)
    parser.add_argument("--mib", type=int, default=500, help="of the spike (default 500)")
    parser.add_argument("--hold-ms", type=float, default=5, help="how long it is held (default 5)")
    parser.add_argument("--rows", type=int, default=100, help="in the dataset (default 100)")
    options = parser.parse_args()
    chance = random.Random(1)
    runs = []
    with Bench() as bench:
        for _ in range(options.times):
            rows, at = planted_rows(options, chance)
            profile = bench.profile(rows, ("--start-mib", BASE_MIB),
                                    budgetSeconds=options.budget_seconds)
            caught, named = look(profile, at, options.mib)
            runs.append({"row": at, "state": profile["state"], "caught": caught, "named": named})
            say(f"row {at}: {profile['state']}, caught {caught}, named {named}")
    result = {"times": len(runs), "caught": sum(r["caught"] for r in runs),
              "named": sum(r["named"] for r in runs), "runs": runs}
    finish(options, result, f"{options.mib} MiB for {options.hold_ms:g} ms in one row of "
           f"{options.rows}: caught {result['caught']}, row named {result['named']} of "
           f"{result['times']}")
    return 0 if result["caught"] == result["named"] == result["times"] else 1


if __name__ == "__main__":
    sys.exit(main())
