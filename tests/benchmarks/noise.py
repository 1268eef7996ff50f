#!/usr/bin/env python3
"""A noisy neighbour on the model's cores while it is profiled: is it said, does the answer move?

First a quiet profile, then as many with other processes that keep every core busy for part of the
time. Goal: flagged (`noisyHost`) at least 95%, the answer moved by at most one step (0.1 core, 10%
above one; memory 10%, at least 16 MiB).
"""

import multiprocessing
import os
import sys
import time

from planted import Bench, arguments, finish, say, warned

PERIOD_S = 0.02
STEP_BYTES = 16 << 20


def disturb(core, share):
    """Busy for this share of each 20 ms, for ever."""
    os.sched_setaffinity(0, {core})
    while True:
        end = time.monotonic() + PERIOD_S * share
        while time.monotonic() < end:
            pass
        time.sleep(PERIOD_S * (1 - share))


class Neighbour:
    """Processes on every core; the with statement ends them."""

    def __init__(self, share):
        self.processes = [multiprocessing.Process(target=disturb, args=(core, share), daemon=True)
                          for core in sorted(os.sched_getaffinity(0))]

    def __enter__(self):
        for process in self.processes:
            process.start()

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.join()


def answer_of(profile):
    answer = profile.get("recommendation") or {}
    return answer.get("requestedCpu"), answer.get("requestedMemoryInBytes")


def moved(quiet, noisy):
    """(CPU, memory) moved by more than a step; where an answer is missing, both."""
    if None in quiet or None in noisy:
        return True, True
    cpu = abs(noisy[0] - quiet[0]) > max(0.1, 0.1 * quiet[0]) + 1e-9
    return cpu, abs(noisy[1] - quiet[1]) > max(STEP_BYTES, 0.1 * quiet[1])


def main():
    parser = arguments(__doc__, times=3)
    parser.add_argument("--share", type=float, default=0.5,
                        help="of each core that the neighbour takes (default 0.5)")
    options = parser.parse_args()
    rows = [f"burn=20 alloc=16 row{i}" for i in range(60)]
    start = ("--start-mib", 100)
    runs = []
    with Bench() as bench:
        quiet = bench.profile(rows, start, budgetSeconds=options.budget_seconds)
        say(f"quiet: {answer_of(quiet)}, flagged {warned(quiet, 'noisyHost')}")
        for _ in range(options.times):
            with Neighbour(options.share):
                noisy = bench.profile(rows, start, budgetSeconds=options.budget_seconds)
            cpu, memory = moved(answer_of(quiet), answer_of(noisy))
            runs.append({"answer": answer_of(noisy), "flagged": warned(noisy, "noisyHost"),
                         "cpuMoved": cpu, "memoryMoved": memory})
            say(f"noisy: {runs[-1]}")
    flagged = sum(run["flagged"] for run in runs)
    still = sum(not run["cpuMoved"] and not run["memoryMoved"] for run in runs)
    finish(options, {"quiet": answer_of(quiet), "quietFlagged": warned(quiet, "noisyHost"),
                     "runs": runs, "flagged": flagged, "withinOneStep": still,
                     "times": len(runs)},
           f"flagged {flagged}, answer within one step {still} of {len(runs)}")
    return 0 if flagged >= 0.95 * len(runs) and still == len(runs) else 1


if __name__ == "__main__":
    sys.exit(main())
