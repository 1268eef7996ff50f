"""Whether memory that held a look holds for as many requests as mlprof gives its word on.

What is chance, as how many old and new workers meet, is seldom in the few hundred requests of a look:
two processes that are replaced every 50 held 304 MiB in each, and were killed at it within 3,000.
"""

import oracle
import probe

# Of memory's high confidence; in each container, unless that takes longer.
REQUESTS = 3000
LONGEST_S = 30.0
RUNS = 3
# Where chance is at work, as once one was killed, three that last say little: that thirty do says that
# less than one in ten is killed (0.9^30 is below 5%).
RUNS_OF_CHANCE = 30
MOST_RAISES = 20
NOT_ASKED = {"containers": 0, "tried": {}}


def is_known(target, true):
    """Of one that leaks there is no memory that lasts, and limits in doubt are sought anew."""
    if "error" in true or target.grows or not true.get("confirmed"):
        return True
    lasted = true.get("lasted", NOT_ASKED)
    return lasted["containers"] >= _runs(target, _was_killed(lasted))


def _was_killed(lasted):
    return "OOM" in lasted["tried"].values()


def _runs(target, was_killed):
    return RUNS_OF_CHANCE if was_killed or target.replaces_workers else RUNS


def prolong(place, target, true, say):
    """The oracle with memory that lasted in every container; not confirmed where none did. Its
    "lasted": {"containers", "requests", "beforeInBytes", "tried": {MiB: why it did not last}}."""
    before = true["memoryInBytes"]
    known = true.get("lasted", NOT_ASKED)
    tried = {}
    for raises in range(MOST_RAISES + 1):
        memory = before + raises * oracle.GRID_MEMORY
        runs = _runs(target, raises > 0 or _was_killed(known))
        requests, failed = _lasts(place, target, true, memory, runs)
        why = _why(failed)
        tried[f"{memory >> 20}"] = why or "held"
        say(f"{memory >> 20} MiB for {requests} requests: {why or 'held'}")
        if not failed or not failed.oom_killed:
            break
    interval = true["memoryIntervalInBytes"] if memory == before else [memory, memory]
    return true | {"memoryInBytes": memory, "memoryIntervalInBytes": interval,
                   "confirmed": not failed,
                   "lasted": {"containers": runs, "requests": requests,
                              "beforeInBytes": known.get("beforeInBytes", before),
                              "tried": known["tried"] | tried}}


def _lasts(place, target, true, memory, runs):
    """(requests answered, the run that failed or None). A failure without a kill is no proof of
    anything until it comes twice."""
    requests = 0
    for seed in range(1, runs + 1):
        run = _look(place, target, true, memory, seed)
        if not run.survived and not run.oom_killed:
            run = _look(place, target, true, memory, seed)
        requests += run.answered
        if not run.survived:
            return requests, run
    return requests, None


def _look(place, target, true, memory, seed):
    return probe.fresh(place, target, true["cpu"], memory, passes=oracle.PASSES, requests=REQUESTS,
                       seconds=oracle.JUDGE_SECONDS, longest=LONGEST_S, seed=seed,
                       ready_seconds=oracle.longest_start(target, true["readySeconds"]))


def _why(failed):
    if failed is None:
        return ""
    return "OOM" if failed.oom_killed else failed.first_failure or "no response"
