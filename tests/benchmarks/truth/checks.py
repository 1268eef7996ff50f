"""Fresh plain containers at recommended limits: do they hold?"""

import probe
from oracle import JUDGE_LONGEST, JUDGE_SECONDS, PASSES

# No host is that much slower than it was.
BEYOND_DOUBT = 5


def check(place, target, oracle, cpu, memory, runs, say):
    """{"runs", "oomKills", "errors", "misses", "p95Ms"}: each run counts once at most."""
    found = {"cpu": cpu, "memoryInBytes": memory, "runs": runs, "oomKills": 0, "errors": 0,
             "misses": 0, "p95Ms": []}
    for seed in range(1, runs + 1):
        run = _judge(place, target, cpu, memory, seed, oracle["ampleP95Ms"])
        found["p95Ms"].append(round(run.p95_ms, 3))
        if run.oom_killed:
            found["oomKills"] += 1
        elif not run.survived:
            found["errors"] += 1
        elif not probe.holds(target, run, oracle["ampleP95Ms"]) and (
                run.p95_ms > BEYOND_DOUBT * oracle["boundMs"]
                or _misses_again(place, target, cpu, memory, seed)):
            found["misses"] += 1
    say(f"{cpu} cores, {memory >> 20} MiB: {found['oomKills']} OOM kills, {found['errors']} errors,"
        f" {found['misses']} misses in {runs}, p95 {found['p95Ms']}")
    return found


def failures(found):
    return found["oomKills"] + found["errors"] + found["misses"]


def _judge(place, target, cpu, memory, seed, ample_p95_ms):
    return probe.quiet(lambda: probe.fresh(
        place, target, cpu, memory, passes=PASSES, seed=seed, seconds=JUDGE_SECONDS,
        longest=JUDGE_LONGEST, hopeless_ms=probe.hopeless_ms(target, ample_p95_ms)))


def _misses_again(place, target, cpu, memory, seed):
    """The host may have become slower since the reference was taken: both once more, in turn."""
    reference = probe.fresh(place, target, None, None, passes=PASSES, seed=seed,
                            seconds=JUDGE_SECONDS, longest=JUDGE_LONGEST)
    run = _judge(place, target, cpu, memory, seed, reference.p95_ms)
    return not probe.holds(target, run, reference.p95_ms)
