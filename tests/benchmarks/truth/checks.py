"""Fresh plain containers at recommended limits: do they hold?"""

import judgement
import oracle
import probe

# Counts up with every change of the rule by which a run counts as slow.
RULE = 4
# The rules since this one differ in how many looks in turn decide, and in nothing before those.
SAME_FIRST_LOOK = 2
# No host is that much slower than it was.
BEYOND_DOUBT = 5
# Of so many looks in turn the majority counts. On a host whose speed moves those count on both sides
# of which a request without limits cost the same CPU, within half of what throughput may differ.
# Where one look in four goes the wrong way, most of three do in 16% of cases and most of five in 10%;
# more take a quarter of an hour a row on a noisy host.
IN_TURN = 5
ALIKE = 0.025
MOST_LOOKS = 11
# Checked beside an answer, as it is: what counts as slow of these is the host's doing, or the check's.
CONTROL = {"cpu": None, "memoryInBytes": None, "cpuIsLimit": False}


def check_all(place, target, profile, answers, runs, say):
    """{who: found} for mlprof and a control without limits, unless its `profile` is {}, and every
    rule that has an answer, beside one reference of now: the oracle's may be from another day."""
    limits = dict(answers)
    answer = profile.get("recommendation")
    if answer:
        limits["mlprof"] = {"cpu": answer["requestedCpu"],
                            "memoryInBytes": answer["requestedMemoryInBytes"], "cpuIsLimit": True}
        limits["control"] = CONTROL
    without = reference(place, target, say) if limits else {}
    done = {}
    for who, limit in limits.items():
        key = tuple(limit.values())
        if key not in done:
            say(f"at the limits of {who}")
            done[key] = check(place, target, without, limit, runs, say)
    return {who: done[tuple(limit.values())] for who, limit in limits.items()}


def reference(place, target, say):
    """{part: Part} without limits, the median of fresh containers."""
    ample = oracle.ample_runs(place, target, say)
    if not ample[-1].survived:
        raise RuntimeError(f"without limits, before the checks: {ample[-1].first_failure}")
    return judgement.reference(ample)


def check(place, target, without, limit, runs, say):
    """{"runs", "oomKills", "errors", "misses", "p95Ms", "why", "outvoted", "rule"}: each run counts
    once at most; "outvoted" says why runs missed of which most looks in turn held. `without`: the
    reference without limits."""
    cpu, memory = limit["cpu"], limit["memoryInBytes"]
    found = {**limit, "runs": runs, "oomKills": 0, "errors": 0, "misses": 0, "p95Ms": [], "why": [],
             "outvoted": [], "rule": RULE, "reference": judgement.stored(without)}
    for seed in range(1, runs + 1):
        run = _judge(place, target, limit, seed, without)
        why = judgement.miss(target, run, without)
        found["p95Ms"].append(round(run.p95_ms, 3))
        if why and run.survived and not _beyond_doubt(target, run, without):
            slow, (run, why) = why, _in_turn(place, target, limit, seed, (run, why))
            found["outvoted"] += [] if why else [slow]
        if run.oom_killed:
            found["oomKills"] += 1
        elif not run.survived:
            found["errors"] += 1
        elif why:
            found["misses"] += 1
        found["why"] += [why] if why else []
    cores = "no word on cores" if cpu is None else f"{cpu} cores"
    size = "all memory" if memory is None else f"{memory >> 20} MiB"
    say(f"{cores}, {size}: {found['oomKills']} OOM kills, {found['errors']} errors,"
        f" {found['misses']} misses in {runs}, p95 {found['p95Ms']} {'; '.join(found['why'])}")
    return found


def by_this_rule(found):
    """Less what was checked by another, but where that decided nothing: no look was slow at first."""
    return {who: one for who, one in found.items() if one.get("rule", 1) == RULE
            or one.get("rule", 1) >= SAME_FIRST_LOOK and not one["why"] and not one["outvoted"]}


def failures(found):
    return found["oomKills"] + found["errors"] + found["misses"]


def _beyond_doubt(target, run, without):
    return any(part.p95_ms > BEYOND_DOUBT * judgement.bound_ms(target, without[name])
               for name, part in run.parts.items())


def _has_neighbour(limit):
    """Of a recommendation that is no limit."""
    return limit["cpu"] is not None and not limit["cpuIsLimit"]


def _judge(place, target, limit, seed, without):
    how = {"seed": seed, "hopeless_ms": judgement.hopeless_ms(target, without), **oracle.LOOK}
    if target.start_within_s:
        how["ready_seconds"] = target.start_within_s
    cpu, memory = limit["cpu"], limit["memoryInBytes"]
    if _has_neighbour(limit):
        # What else is busy there is so on purpose.
        return probe.beside_neighbour(place, target, cpu, memory, **how)
    return probe.quiet(lambda: probe.fresh(place, target, cpu, memory, **how))


def _in_turn(place, target, limit, seed, missed):
    """(run, why) for one that `missed`, itself such a pair; why is "" where most looks held. The host
    may have become slower since the reference was taken, and may while this looks: again in turn with
    looks without limits, until the majority is clear of those looks between two of which the host
    was the same, or of all where there are too few of those. Chosen by what a request costs without
    limits alone: at limits it may cost more because of them. One that fails has failed, whatever the
    others do."""
    steady, others = [], []
    before = _without_limits(place, target, seed)
    while not _clear(steady) and len(steady) + len(others) < MOST_LOOKS:
        if not before.survived:
            return missed
        without = judgement.reference([before])
        run = _judge(place, target, limit, seed, without)
        if not run.survived:
            return run, judgement.miss(target, run, without)
        after = _without_limits(place, target, seed)
        if not after.survived:
            return missed
        why = judgement.miss(target, run, judgement.reference([before, after]))
        (steady if _cost_alike(before, after) else others).append((run, why))
        before = after
    return _by_most(steady if _clear(steady) else steady + others)


def _without_limits(place, target, seed):
    return probe.quiet(lambda: probe.fresh(place, target, None, None, seed=seed, **oracle.LOOK))


def _cost_alike(one, other):
    return abs(one.cost_ms - other.cost_ms) <= ALIKE * other.cost_ms


def _clear(looks):
    misses = sum(bool(why) for _, why in looks)
    return 2 * max(misses, len(looks) - misses) > IN_TURN


def _by_most(looks):
    misses = [(run, why) for run, why in looks if why]
    return misses[-1] if 2 * len(misses) > len(looks) else (looks[-1][0], "")
