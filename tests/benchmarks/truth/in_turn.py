"""A look that was slow, once more in turn with looks without limits."""

import judgement

# Of so many looks in turn the majority counts. On a host whose speed moves those count on both sides
# of which a request without limits cost the same CPU, within half of what throughput may differ.
# Where one look in four goes the wrong way, most of three do in 16% of cases and most of five in 10%;
# more take a quarter of an hour a row on a noisy host.
IN_TURN = 5
ALIKE = 0.025
MOST_LOOKS = 11


def decided(missed, at_limits, without_limits, miss):
    """(run, why) for one that `missed`, itself such a pair; why is "" where most looks held. The host
    may have become slower since the reference was taken, and may while this looks: again in turn with
    looks without limits, until the majority is clear of those looks between two of which the host
    was the same, or of all where there are too few of those. Chosen by what a request costs without
    limits alone: at limits it may cost more because of them. One that fails has failed, whatever the
    others do.
    `at_limits(reference)` and `without_limits()` run a fresh container each; `miss(run, reference)`
    says why a run does not hold beside a reference."""
    steady, others = [], []
    before = without_limits()
    while not _clear(steady) and len(steady) + len(others) < MOST_LOOKS:
        if not before.survived:
            return missed
        beside_one = judgement.reference([before])
        run = at_limits(beside_one)
        if not run.survived:
            return run, miss(run, beside_one)
        after = without_limits()
        if not after.survived:
            return missed
        why = miss(run, judgement.reference([before, after]))
        (steady if _cost_alike(before, after) else others).append((run, why))
        before = after
    return _by_most(steady if _clear(steady) else steady + others)


def _cost_alike(one, other):
    return abs(one.cost_ms - other.cost_ms) <= ALIKE * other.cost_ms


def _clear(looks):
    misses = sum(bool(why) for _, why in looks)
    return 2 * max(misses, len(looks) - misses) > IN_TURN


def _by_most(looks):
    misses = [(run, why) for run, why in looks if why]
    return misses[-1] if 2 * len(misses) > len(looks) else (looks[-1][0], "")
