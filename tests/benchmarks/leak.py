#!/usr/bin/env python3
"""Planted leaks and clean models: which are found, and which are taken for leaks that are none?

Leaking: 64 KiB a request in a default run, and 1 KiB a request with 5,000 rows. Clean: a constant
need, a cache that fills with the distinct rows, allocations of changing size, memory taken late.
Goal: at least 95% found, at most 2% false alarms.
"""

import sys

from planted import Bench, arguments, finish, say, warned

ROWS = 60
MANY_ROWS = 5000
START = ("--start-mib", 64)

LEAKING = {
    "64 KiB a request": [f"burn=5 leak=64 row{i}" for i in range(ROWS)],
    "1 KiB, 5000 rows": [f"burn=1 leak=1 row{i}" for i in range(MANY_ROWS)],
}
CLEAN = {
    "constant": [f"burn=5 alloc=8 row{i}" for i in range(ROWS)],
    "cache of the rows": [f"burn=5 cache=512 row{i}" for i in range(ROWS)],
    "changing sizes": [f"burn=5 alloc={1 + i * 37 % 40} row{i}" for i in range(ROWS)],
    "one late cache": [f"burn=5 row{i}" for i in range(ROWS - 1)] + ["burn=5 cache=40000 late"],
    "5000 rows": [f"burn=1 row{i}" for i in range(MANY_ROWS)],
}


def judge(bench, kinds, options):
    """{kind: {"times", "warned", "bytesPerRequest"}}."""
    found = {}
    for kind, rows in kinds.items():
        entry = found[kind] = {"times": 0, "warned": 0, "bytesPerRequest": []}
        for _ in range(options.times):
            profile = bench.profile(rows, START, budgetSeconds=options.budget_seconds,
                                    seed=1 + entry["times"])
            leak = warned(profile, "leakSuspected")
            memory = (profile.get("findings") or {}).get("memory") or {}
            entry["times"] += 1
            entry["warned"] += leak
            entry["bytesPerRequest"].append(memory.get("bytesPerRequest"))
            say(f"{kind}: {profile['state']}, leak suspected {leak}, "
                f"{memory.get('bytesPerRequest')} bytes a request")
    return found


def total(found):
    return sum(e["warned"] for e in found.values()), sum(e["times"] for e in found.values())


def main():
    parser = arguments(__doc__, times=3)
    parser.add_argument("--kind", choices=("leaking", "clean", "both"), default="both",
                        help="which models (default both)")
    options = parser.parse_args()
    with Bench() as bench:
        leaking = judge(bench, LEAKING, options) if options.kind != "clean" else {}
        clean = judge(bench, CLEAN, options) if options.kind != "leaking" else {}
    (found, leaks), (alarms, cleans) = total(leaking), total(clean)
    finish(options, {"leaking": leaking, "clean": clean, "found": found, "leaks": leaks,
                     "falseAlarms": alarms, "cleanRuns": cleans},
           f"leaks found: {found} of {leaks}; false alarms: {alarms} of {cleans} clean runs")
    return 0 if found >= 0.95 * leaks and alarms <= 0.02 * cleans else 1


if __name__ == "__main__":
    sys.exit(main())
