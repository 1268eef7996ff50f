"""Fresh plain containers at recommended limits: do they hold?"""

import cause
import in_turn
import judgement
import oracle
import probe

# Counts up with every change of the rule by which a run counts as slow.
RULE = 5
# The rules since this one differ in what decides about a first look that was slow, and in nothing
# before that.
SAME_FIRST_LOOK = 2
# No host is that much slower than it was.
BEYOND_DOUBT = 5
# Looked at beside an answer, once each: what is slow of these tells how much the host moved.
CONTROL = {"cpu": None, "memoryInBytes": None, "cpuIsLimit": False}


def check_all(place, target, profile, answers, runs, say):
    """{who: found} for mlprof and a control without limits, unless its `profile` is {}, and every
    rule that has an answer, beside one reference of now: the oracle's may be from another day."""
    limits = dict(answers)
    answer = profile.get("recommendation")
    if answer:
        limits["mlprof"] = {"cpu": answer["requestedCpu"],
                            "memoryInBytes": answer["requestedMemoryInBytes"], "cpuIsLimit": True}
    without = reference(place, target, say) if limits else {}
    done = {}
    for who, limit in limits.items():
        key = tuple(limit.values())
        if key not in done:
            say(f"at the limits of {who}")
            done[key] = check(place, target, without, limit, runs, say)
    found = {who: done[tuple(limit.values())] for who, limit in limits.items()}
    if answer:
        found["control"] = control(place, target, without, runs, say)
    return found


def reference(place, target, say):
    """{part: Part} without limits, the median of fresh containers."""
    ample = oracle.ample_runs(place, target, say)
    if not ample[-1].survived:
        raise RuntimeError(f"without limits, before the checks: {ample[-1].first_failure}")
    return judgement.reference(ample)


def check(place, target, without, limit, runs, say):
    """{"runs", "oomKills", "errors", "misses", "p95Ms", "stoppedSeconds", "why", "theHosts",
    "outvoted", "rule"}: each run counts once at most; "theHosts" says why runs missed that nothing
    of their limits can have made slow, "outvoted" why those of which most looks in turn held.
    `without`: the reference without limits."""
    cpu, memory = limit["cpu"], limit["memoryInBytes"]
    found = _nothing_found(limit, runs, without)
    for seed in range(1, runs + 1):
        run, why = _look(place, target, limit, seed, without, found)
        slow = why if run.survived and not _beyond_doubt(target, run, without) else ""
        if slow and not _is_the_limits(target, limit, run, without):
            found["theHosts"].append(slow)
            why = ""
        elif slow:
            run, why = _in_turn(place, target, limit, seed, (run, slow))
            found["outvoted"] += [] if why else [slow]
        _count(found, run, why)
    cores = "no word on cores" if cpu is None else f"{cpu} cores"
    size = "all memory" if memory is None else f"{memory >> 20} MiB"
    say(f"{cores}, {size}: {found['oomKills']} OOM kills, {found['errors']} errors,"
        f" {found['misses']} misses in {runs}, {len(found['theHosts'])} slow by the host alone, p95"
        f" {found['p95Ms']} {'; '.join(found['why'])}")
    return found


def control(place, target, without, runs, say):
    """As `check`, of containers without limits: a slow look is the host's there."""
    found = _nothing_found(CONTROL, runs, without)
    for seed in range(1, runs + 1):
        _count(found, *_look(place, target, CONTROL, seed, without, found))
    say(f"without limits once more: {found['misses']} of {runs} looks slow, p95 {found['p95Ms']}"
        f" {'; '.join(found['why'])}")
    return found


def _nothing_found(limit, runs, without):
    return {**limit, "runs": runs, "oomKills": 0, "errors": 0, "misses": 0, "p95Ms": [],
            "stoppedSeconds": [], "why": [], "theHosts": [], "outvoted": [], "rule": RULE,
            "reference": judgement.stored(without)}


def _look(place, target, limit, seed, without, found):
    run = _judge(place, target, limit, seed, without)
    found["p95Ms"].append(round(run.p95_ms, 3))
    found["stoppedSeconds"].append(round(run.throttled_seconds, 3))
    return run, judgement.miss(target, run, without)


def _in_turn(place, target, limit, seed, missed):
    """What its limits cannot have done does not count here either."""
    def miss(run, beside):
        why = judgement.miss(target, run, beside)
        return why if _is_the_limits(target, limit, run, beside) else ""

    def ample():
        return probe.quiet(lambda: probe.fresh(place, target, None, None, seed=seed, **oracle.LOOK))

    return in_turn.decided(missed, lambda beside: _judge(place, target, limit, seed, beside), ample,
                           miss)


def _is_the_limits(target, limit, run, without):
    """Whether they may be why it missed. Beside a neighbour that is what makes it slow."""
    return (_has_neighbour(limit) or not run.survived or run.gave_up
            or cause.may_be_the_limits(target, run, without))


def _count(found, run, why):
    if run.oom_killed:
        found["oomKills"] += 1
    elif not run.survived:
        found["errors"] += 1
    elif why:
        found["misses"] += 1
    found["why"] += [why] if why else []


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
