"""Whether limits that held a look hold for as many requests as mlprof gives its word on.

What is chance, as how many old and new workers meet, is seldom in the few hundred requests of a look:
two processes that are replaced every 50 held 304 MiB in each, and were killed at it within 3,000.
"""

import oracle
import probe

# Of memory's high confidence; in each container, unless that takes longer.
REQUESTS = 3000
LONGEST_S = 30.0
RUNS = 3
# Where chance is at work, as once one was killed, three that last say little: that ten do says that
# less than one in three is killed (0.7^10 is below 5%).
RUNS_OF_CHANCE = 10
MOST_RAISES = 20


def is_known(target, true):
    """Of one that leaks there is no memory that lasts."""
    if "error" in true or target.grows:
        return True
    return true.get("lasted", {"containers": 0})["containers"] >= _runs(target)


def _runs(target, was_killed=False):
    return RUNS_OF_CHANCE if was_killed or target.replaces_workers else RUNS


def prolong(place, target, true, say):
    """The oracle with the memory that lasted in every container; {"lasted": {"containers",
    "requests", "beforeInBytes"}} says how it was found. Not confirmed where none did."""
    before = true["memoryInBytes"]
    for raises in range(MOST_RAISES + 1):
        memory = before + raises * oracle.GRID_MEMORY
        runs = _runs(target, was_killed=raises > 0)
        requests, why = _lasts(place, target, true, memory, runs)
        say(f"{memory >> 20} MiB for {requests} requests: {why or 'held'}")
        if not why:
            break
    # Where it lasted in each container, that some look had failed there was the host's doing.
    return true | {"memoryInBytes": memory, "confirmed": true["confirmed"] and not why,
                   "memoryIntervalInBytes": [memory, memory],
                   "lasted": {"containers": runs, "requests": requests, "beforeInBytes": before}}


def _lasts(place, target, true, memory, runs):
    """(requests answered, why it did not last)."""
    ready_seconds = oracle.longest_start(target, true["readySeconds"])
    requests = 0
    for seed in range(1, runs + 1):
        run = probe.fresh(place, target, true["cpu"], memory, passes=oracle.PASSES,
                          requests=REQUESTS, seconds=oracle.JUDGE_SECONDS, longest=LONGEST_S,
                          seed=seed, ready_seconds=ready_seconds)
        requests += run.answered
        if not run.survived:
            return requests, "OOM" if run.oom_killed else run.first_failure or "no response"
    return requests, ""
