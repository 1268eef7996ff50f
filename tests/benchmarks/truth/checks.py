"""Fresh plain containers at recommended limits: do they hold?"""

import judgement
import oracle
import probe

# No host is that much slower than it was.
BEYOND_DOUBT = 5
# Of so many looks in turn with one without limits the majority counts. On a host whose speed moves
# those pairs count whose requests cost the same CPU, within this share: half of what p95 may differ.
IN_TURN = 3
ALIKE = 0.05
MOST_PAIRS = 9
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
    without = reference(place, target, say) if limits else None
    done = {}
    for who, limit in limits.items():
        key = tuple(limit.values())
        if key not in done:
            say(f"at the limits of {who}")
            done[key] = check(place, target, without, limit, runs, say)
    return {who: done[tuple(limit.values())] for who, limit in limits.items()}


def reference(place, target, say):
    """Fresh containers without limits, of now."""
    ample = oracle.ample_runs(place, target, say)
    if not ample[-1].survived:
        raise RuntimeError(f"without limits, before the checks: {ample[-1].first_failure}")
    return oracle.References(ample)


def check(place, target, without, limit, runs, say):
    """{"runs", "oomKills", "errors", "misses", "p95Ms", "why", "unstopped", "outvoted"}: each run
    counts once at most. "unstopped" says what was slow at limits that never stopped it, "outvoted"
    why runs missed of which most looks in turn held. `without`: the References."""
    cpu, memory = limit["cpu"], limit["memoryInBytes"]
    found = {**limit, "runs": runs, "oomKills": 0, "errors": 0, "misses": 0, "p95Ms": [], "why": [],
             "unstopped": [], "outvoted": [], "inTurn": IN_TURN,
             "reference": judgement.stored(without.now())}
    for seed in range(1, runs + 1):
        run, why, unstopped = _look(place, target, limit, seed, without)
        found["p95Ms"].append(round(run.p95_ms, 3))
        found["unstopped"] += [unstopped] if unstopped else []
        if why and run.survived and not _beyond_doubt(target, run, without.now()):
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
    """Less what was checked when another number of looks in turn decided."""
    return {who: one for who, one in found.items() if one.get("inTurn") == IN_TURN}


def failures(found):
    return found["oomKills"] + found["errors"] + found["misses"]


def _beyond_doubt(target, run, without):
    return any(part.p95_ms > BEYOND_DOUBT * judgement.bound_ms(target, without[name])
               for name, part in run.parts.items())


def _look(place, target, limit, seed, without):
    """(run, why it missed or "", what was slow of it that its limits cannot have slowed)."""
    run = _run(place, target, limit, seed, without.now())
    why = judgement.miss(target, run, without.now())
    excusable = limit is not CONTROL and not _has_neighbour(limit)
    if why and excusable and judgement.unstopped(run, without.cost_ms()):
        return run, "", why
    return run, why, ""


def _has_neighbour(limit):
    """Of a recommendation that is no limit."""
    return limit["cpu"] is not None and not limit["cpuIsLimit"]


def _run(place, target, limit, seed, without):
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
    may have become slower since the reference was taken, and may while this looks: both once more in
    turn, and again until the majority of pairs whose requests cost alike is clear, or of all where
    there are too few of those. One that fails has failed, whatever the others do."""
    alike, others = [], []
    while not _clear(alike) and len(alike) + len(others) < MOST_PAIRS:
        reference = probe.quiet(lambda: probe.fresh(place, target, None, None, seed=seed,
                                                    **oracle.LOOK))
        if not reference.survived:
            return missed
        without = oracle.References([reference])
        run, why, _ = _look(place, target, limit, seed, without)
        if not run.survived:
            return run, why
        (alike if _cost_alike(run, reference) else others).append((run, why))
    return _by_most(alike if _clear(alike) else alike + others)


def _cost_alike(run, reference):
    return abs(run.cost_ms - reference.cost_ms) <= ALIKE * reference.cost_ms


def _clear(pairs):
    misses = sum(bool(why) for _, why in pairs)
    return 2 * max(misses, len(pairs) - misses) > IN_TURN


def _by_most(pairs):
    misses = [(run, why) for run, why in pairs if why]
    return misses[-1] if 2 * len(misses) > len(pairs) else (pairs[-1][0], "")
