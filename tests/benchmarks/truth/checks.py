"""Fresh plain containers at recommended limits: do they hold?"""

import judgement
import probe
from oracle import LOOK

# No host is that much slower than it was.
BEYOND_DOUBT = 5


def check(place, target, oracle, limit, runs, say):
    """{"runs", "oomKills", "errors", "misses", "p95Ms", "why"}: each run counts once at most."""
    cpu, memory = limit["cpu"], limit["memoryInBytes"]
    found = {**limit, "runs": runs, "oomKills": 0, "errors": 0, "misses": 0, "p95Ms": [], "why": []}
    without = judgement.restored(oracle["reference"])
    for seed in range(1, runs + 1):
        run = _judge(place, target, limit, seed, without)
        why = judgement.miss(target, run, without)
        found["p95Ms"].append(round(run.p95_ms, 3))
        if run.oom_killed:
            found["oomKills"] += 1
        elif not run.survived:
            found["errors"] += 1
        elif why and (_beyond_doubt(target, run, without)
                      or _misses_again(place, target, limit, seed)):
            found["misses"] += 1
        else:
            why = ""
        found["why"] += [why] if why else []
    cores = "no word on cores" if cpu is None else f"{cpu} cores"
    say(f"{cores}, {memory >> 20} MiB: {found['oomKills']} OOM kills, {found['errors']} errors,"
        f" {found['misses']} misses in {runs}, p95 {found['p95Ms']} {'; '.join(found['why'])}")
    return found


def failures(found):
    return found["oomKills"] + found["errors"] + found["misses"]


def _beyond_doubt(target, run, without):
    return any(part.p95_ms > BEYOND_DOUBT * judgement.bound_ms(target, without[name])
               for name, part in run.parts.items())


def _judge(place, target, limit, seed, without):
    how = {"seed": seed, "hopeless_ms": judgement.hopeless_ms(target, without), **LOOK}
    if target.start_within_s:
        how["ready_seconds"] = target.start_within_s
    cpu, memory = limit["cpu"], limit["memoryInBytes"]
    if limit["cpuIsLimit"] or cpu is None:
        return probe.quiet(lambda: probe.fresh(place, target, cpu, memory, **how))
    # What else is busy there is so on purpose.
    return probe.beside_neighbour(place, target, cpu, memory, **how)


def _misses_again(place, target, limit, seed):
    """The host may have become slower since the reference was taken: both once more, in turn."""
    reference = probe.fresh(place, target, None, None, seed=seed, **LOOK)
    if not reference.survived:
        return True
    without = judgement.reference([reference])
    return bool(judgement.miss(target, _judge(place, target, limit, seed, without), without))
