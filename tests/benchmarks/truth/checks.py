"""Fresh plain containers at recommended limits: do they hold?"""

import cause
import in_turn
import judgement
import oracle
import probe

# Counts up with every change of the rule by which a run counts as slow.
RULE = 6
# The rules since this one differ in what decides about a first look that was slow, and in nothing
# before that.
SAME_FIRST_LOOK = 2
# One that the host alone made slow tells nothing of its limits, and is looked at so often.
MOST_LOOKS = 3
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
    """{"runs", "oomKills", "errors", "misses", "p95Ms", "throttledSeconds", "why", "slowByHost",
    "outvoted", "rule"}: each run counts once at most, and not at all where the host alone made each
    of its looks slow. "slowByHost" says why such looks missed, "outvoted" why those of which most
    looks in turn held. `without`: the reference without limits."""
    cpu, memory = limit["cpu"], limit["memoryInBytes"]
    found = _nothing_found(limit, runs, without)
    for seed in range(1, runs + 1):
        _check_one(place, target, limit, seed, without, found)
    cores = "no word on cores" if cpu is None else f"{cpu} cores"
    size = "all memory" if memory is None else f"{memory >> 20} MiB"
    say(f"{cores}, {size}: {found['oomKills']} OOM kills, {found['errors']} errors,"
        f" {found['misses']} misses in {found['runs']}, {len(found['slowByHost'])} looks slow by the"
        f" host, p95 {found['p95Ms']} {'; '.join(found['why'])}")
    return found


def _check_one(place, target, limit, seed, without, found):
    for _ in range(MOST_LOOKS):
        run = _judge(place, target, limit, seed, without)
        why = judgement.miss(target, run, without)
        _note(found, run)
        if not why or not run.survived or _beyond_doubt(target, run, without):
            _count(found, run, why)
            return
        if _limits_may_be_why(target, limit, run, without):
            slow, (run, why) = why, _in_turn(place, target, limit, seed, (run, why))
            found["outvoted"] += [] if why else [slow]
            _count(found, run, why)
            return
        found["slowByHost"].append(why)
    found["runs"] -= 1


def control(place, target, without, runs, say):
    """As `check`, of containers without limits: a slow look is the host's there."""
    found = _nothing_found(CONTROL, runs, without)
    for seed in range(1, runs + 1):
        run = _judge(place, target, CONTROL, seed, without)
        _note(found, run)
        _count(found, run, judgement.miss(target, run, without))
    say(f"without limits once more: {found['misses']} of {runs} looks slow, p95 {found['p95Ms']}"
        f" {'; '.join(found['why'])}")
    return found


def _nothing_found(limit, runs, without):
    return {**limit, "runs": runs, "oomKills": 0, "errors": 0, "misses": 0, "p95Ms": [],
            "throttledSeconds": [], "why": [], "slowByHost": [], "outvoted": [], "rule": RULE,
            "reference": judgement.stored(without)}


def _in_turn(place, target, limit, seed, missed):
    """What its limits cannot have done does not count here either."""
    def miss(run, beside):
        why = judgement.miss(target, run, beside)
        may_be = not run.survived or _limits_may_be_why(target, limit, run, beside)
        return why if why and may_be else ""

    def ample():
        return probe.quiet(lambda: probe.fresh(place, target, None, None, seed=seed, **oracle.LOOK))

    return in_turn.decided(missed, lambda beside: _judge(place, target, limit, seed, beside), ample,
                           miss)


def _limits_may_be_why(target, limit, run, without):
    """Beside a neighbour that is why, and the kernel counts nothing of it."""
    return _has_neighbour(limit) or cause.limits_may_be_why(target, run, without)


def _note(found, run):
    found["p95Ms"].append(round(run.p95_ms, 3))
    found["throttledSeconds"].append(round(run.throttled_seconds, 3))


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
            or one.get("rule", 1) >= SAME_FIRST_LOOK and not _decided_something(one)}


def _decided_something(one):
    # Of the rule before, which had another name for them.
    return one["why"] or one["outvoted"] or one.get("slowByHost") or one.get("theHosts")


def lacking(found, answers):
    """(whether mlprof's check, whose answers of the rules) are not known by this rule."""
    known = by_this_rule(found)
    return "mlprof" not in known, {who: limit for who, limit in answers.items() if who not in known}


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
