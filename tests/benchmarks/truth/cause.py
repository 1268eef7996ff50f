"""Whether its limits can be what made a run slow.

They act in three ways, and the kernel counts all of them: a quota stops the container, or a runtime
makes fewer threads because of it, so that fewer cores are used; and memory that is lacking has file
pages read back or a heap collected. What shows nothing of that was made slow by the host, whose other
guests no counter shows: of a model that its quota of a core stopped for 0.000 s, and of the same
without limits, looks a minute apart differed by a third.
"""

import judgement

# A tenth of what counts as want of memory in the search for a need: pages are slow on some disks.
FEW_PAGES = 0.01  # a request


def may_be_the_limits(target, run, without):
    """Of a run that survived, was not given up, and missed beside the reference `without` limits."""
    return (target.heap_by_limit or run.pages_read_back > FEW_PAGES * run.answered
            or any(_used_fewer_cores(part, without[name])
                   or _stopped_long_enough(target, run, part, without[name])
                   for name, part in run.parts.items()))


def _used_fewer_cores(part, without):
    """By more than throughput may lose: with as many, each request took more of them."""
    return part.cores < judgement.THROUGHPUT_SHARE * without.cores


def _stopped_long_enough(target, run, part, without):
    """Whether the quota stopped it for so long that it can have made one of the figures miss. The
    kernel counts each core's stops, so that the container as a whole was stopped for less."""
    stopped = run.throttled_seconds
    if target.rate or target.p95_ms:
        return stopped > 0  # what queues behind a stop waits as well
    misses = judgement.part_misses(target, part, without, stopped > 0)
    # A stop makes those wait that are in flight, each for as long as it lasts at most.
    waited_ms = 1000 * stopped * target.concurrency
    fewest_ms = {
        "throughput": (1 - judgement.THROUGHPUT_SHARE) * 1000 * part.answered / part.per_second
                      * target.concurrency,
        "p95": 0.05 * part.answered * (judgement.P95_FACTOR - 1) * without.p95_ms,
        "p99": 0.01 * part.answered * ((judgement.P99_FACTOR - 1) * without.p99_ms
                                       + judgement.P99_MORE_MS)}
    return any(waited_ms > fewest_ms[figure] for figure in misses)
