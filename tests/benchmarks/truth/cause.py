"""Whether its limits can be why a run was slow.

They act in three ways. A quota stops the container, or a runtime makes fewer threads because of it, so
that fewer cores are used: the kernel counts both. Memory that is lacking has file pages read back,
which it counts as well, or a heap collected, which it does not: a target with such a heap may always
be slow by its limit. What shows nothing of that was made slow by the host, whose other guests no
counter shows: of a model that its quota of a core stopped for 0.000 s, and of the same without limits,
looks a minute apart differed by three tenths.
"""

import judgement


def limits_may_be_why(target, run, without):
    """Of a run that survived and missed beside the reference `without` limits."""
    if run.gave_up or run.uncounted or target.heap_by_limit or without.keys() - run.parts.keys():
        return True  # it was not seen to its end, or the kernel does not tell
    return any(_may_be_why(target, part, without[name]) for name, part in run.parts.items())


def _may_be_why(target, part, without):
    misses = judgement.part_misses(target, part, without, part.throttled_seconds > 0)
    return misses and (part.pages_read_back > 0 or _used_fewer_cores(target, part, without)
                       or _was_throttled_enough(target, part, without, misses))


def _used_fewer_cores(target, part, without):
    """In a closed loop, by more than throughput may lose: with as many, each request took more of
    them. The cores of a rate are those that its requests take, with as many threads as there are."""
    return not target.rate and part.cores < judgement.THROUGHPUT_SHARE * without.cores


def _was_throttled_enough(target, part, without, misses):
    """For one of these figures to miss by it. Cores are counted by themselves, so that the container
    as a whole was throttled for less."""
    throttled = part.throttled_seconds
    if target.rate or target.p95_ms:
        return throttled > 0  # what queues behind waits as well, and a bound is not the reference's
    # All that are in flight wait, for as long as it lasts at most. A percentile may be next to an
    # edge, where one request more that is late moves it.
    waited_ms = 1000 * throttled * target.concurrency
    least_ms = {
        "throughput": (1 - judgement.THROUGHPUT_SHARE) * 1000 * target.concurrency
                      * part.answered / part.per_second,
        "p95": (judgement.P95_FACTOR - 1) * without.p95_ms,
        "p99": (judgement.P99_FACTOR - 1) * without.p99_ms + judgement.P99_MORE_MS}
    return any(waited_ms > least_ms[figure] for figure in misses)
