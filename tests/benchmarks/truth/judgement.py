"""When a limit holds, judged as somebody who uses the server would: as it behaves without a limit.

The rule is mlprof's documented one, written down anew: nothing of mlprof's is in it. It differs
where a model scales over cores: there mlprof stops at the knee (docs/decisions/0037), and this asks
for the host's own speed.
"""

import dataclasses
import statistics

P95_FACTOR = 1.10
THROUGHPUT_SHARE = 0.95
P99_FACTOR = 1.5
# A millisecond is what a timer or a wakeup adds to a short row on any host.
P99_MORE_MS = 1.0
# What is slow for want of memory reads its files again, or collects its heap again and again. Chosen: a
# model that thrashed read three million pages in 20 s, and a host that slowed down was seen to take
# 1.54 times the CPU of a request. A heap that collects for less than that is taken for such a host.
PAGES_READ_BACK = 0.1  # a request
COLLECTING = 1.6  # times the CPU of a request without limits
# Of fewer requests the largest says nothing of the percentile, with 95% confidence: 0.95^59 and
# 0.99^299 are below 5%.
P95_REQUESTS = 59
P99_REQUESTS = 299
# Responses beyond so many times the bound are not waited for much longer.
HOPELESS = 1.5


@dataclasses.dataclass(frozen=True)
class Part:
    """What one load showed: on connections kept alive, or on a fresh one for each request."""
    answered: int
    per_second: float
    p50_ms: float
    p95_ms: float
    p99_ms: float
    cores: float = 0  # used meanwhile
    throttled_seconds: float = 0
    pages_read_back: float = 0


def reference(runs):
    """{part: Part} of runs without limits, each figure their median."""
    result = {}
    for name in runs[0].parts:
        parts = [run.parts[name] for run in runs if name in run.parts]
        result[name] = Part(*(statistics.median(getattr(part, field.name) for part in parts)
                              for field in dataclasses.fields(Part)))
    return result


def stored(parts):
    """As JSON keeps them."""
    return {name: dataclasses.asdict(part) for name, part in parts.items()}


def bound_ms(target, part):
    """What p95 may be: the target's own objective, else 1.10 of the p95 without limits."""
    return target.p95_ms or P95_FACTOR * part.p95_ms


def hopeless_ms(target, without):
    return HOPELESS * max(bound_ms(target, part) for part in without.values())


def miss(target, run, without):
    """Why a run did not hold beside the reference without limits; "" where it did."""
    if run.oom_killed:
        return "OOM"
    if not run.survived:
        return run.first_failure or "no response"
    if run.gave_up:
        return "far too slow"
    for name in without:
        if name not in run.parts:
            return f"{name}: it did not come to it"
        why = _part_miss(target, run.parts[name], without[name], run.throttled_seconds > 0)
        if why:
            return f"{name}: {why}" if len(without) > 1 else why
    return ""


def memory_miss(target, run, without, cost_ms):
    """The same of a memory limit: a run that was slow and shows no want of memory held. `cost_ms`:
    the CPU of a request without limits."""
    why = miss(target, run, without)
    slow_alone = why and run.survived and not run.gave_up and not lacked_memory(run, cost_ms)
    return "" if slow_alone else why


def lacked_memory(run, cost_ms):
    """Whether the kernel's counters say so."""
    return (run.pages_read_back > PAGES_READ_BACK * run.answered
            or run.cost_ms > COLLECTING * cost_ms)


def _part_miss(target, part, without, throttled):
    return next(iter(part_misses(target, part, without, throttled).values()), "")


def part_misses(target, part, without, throttled):
    """{figure: why} of those that one load missed."""
    found = {}
    if part.p95_ms > bound_ms(target, without):
        found["p95"] = f"p95 {part.p95_ms:.2f} ms"
    if target.p95_ms:
        return found  # an objective of its own replaces the rest
    if not target.rate and part.per_second < THROUGHPUT_SHARE * without.per_second:
        found["throughput"] = f"{part.per_second:.1f} of {without.per_second:.1f} requests/s"
    # A tail that comes without any throttling is the host's.
    counts = throttled and min(part.answered, without.answered) >= P99_REQUESTS
    if counts and part.p99_ms > P99_FACTOR * without.p99_ms + P99_MORE_MS:
        found["p99"] = f"p99 {part.p99_ms:.2f} ms"
    return found


def interval(votes, need):
    """(low, high) in steps of the grid: `low` is the least at which a look held, above the highest
    at which every one failed; at `high` every one held. What was never tried is no need.
    `votes`: what each look at a step showed; `need`: the step that was taken."""
    failed = max((step for step, seen in votes.items() if step < need and not any(seen)), default=0)
    low = min((step for step, seen in votes.items() if failed < step and any(seen)), default=need)
    high = min((step for step, seen in votes.items() if step >= need and all(seen)), default=need)
    return min(low, need), high


def told(profile):
    """What a profile answered, in a few words; of one that was kept as well."""
    answer = profile["recommendation"]
    if not answer:
        return f"{profile['state']}, no answer"
    return (f"{profile['state']}, {answer['requestedCpu']:g} cores and "
            f"{answer['requestedMemoryInBytes'] / (1 << 20):g} MiB")


def between(low, high, form="g"):
    """One figure where the interval is a point."""
    return f"{low:{form}}" if low == high else f"{low:{form}} to {high:{form}}"
