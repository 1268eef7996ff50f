"""What other recommenders' rules make of the traces that mlprof stored of the same run.

They are given a good case: one reading a second (they scrape every 15 to 60), the objective's load
without limits for as long as mlprof applied it. Memory is the working set as far as mlprof stores
it: what cannot be given back and the file pages that are mapped, which is less than a kubelet
counts. A decay of 24 hours is none in a run of minutes. Their answers are rounded up to mlprof's
grid.
"""

import datetime
import math

# Raised where a rule changes: what was answered by another is answered anew.
RULE = 2
GRID_MEMORY = 16 << 20
MIB = 1 << 20


def _quantile(values, share):
    ordered = sorted(values)
    return ordered[max(math.ceil(share * len(ordered)), 1) - 1]


def _bucket_end(value, first):
    """Of a histogram whose buckets grow by 5% each: it answers with the end of a bucket."""
    end, size = first, first
    while value >= end:
        size *= 1.05
        end += size
    return end


def _vpa(cpu, memory):
    """Vertical Pod Autoscaler: the 90th percentile of a histogram of CPU, and of one that has the
    day's peak of memory; 15% on top; 25 millicores and 250 MiB at least."""
    cores = _bucket_end(_quantile(cpu, 0.90), 0.01)
    peak = _bucket_end(max(memory), 1e7)
    return max(1.15 * cores, 0.025), max(1.15 * peak, 250 * MIB)


def _krr(cpu, memory):
    """Kubernetes Resource Recommender, `simple`: the 95th percentile as a request and no limit; the
    peak and 15%; 10 millicores and 100 MB at least."""
    return max(_quantile(cpu, 0.95), 0.01), max(1.15 * max(memory), 100e6)


def _autopilot(cpu, memory):
    """Autopilot's moving window for jobs that serve, unweighted: the 95th percentile; the peak; the
    upper end of its margin of 10 to 15%."""
    return 1.15 * _quantile(cpu, 0.95), 1.15 * max(memory)


def _kruize(cpu, memory):
    """Kruize, `performance`, of whose intervals a run is one: the most CPU, since below one core it
    takes the maximum, and above it the 98th percentile of one interval is no other; the peak and
    20%, or the peak and 1.05 of the rise within an interval if that is less."""
    rise = max(memory) - min(memory)
    return max(cpu), min(1.2 * max(memory), max(memory) + 1.05 * rise)


def _max_ram(_, memory):
    """optimum-benchmark's `max_ram`: the most that was resident. It has no word on CPU."""
    return None, max(memory)


RULES = {"VPA": _vpa, "KRR": _krr, "Autopilot": _autopilot, "Kruize": _kruize, "max_ram": _max_ram}
# Their CPU is a request: a weight beside whoever else is on the node.
WITHOUT_CPU_LIMIT = ("KRR", "max_ram")


def _seconds(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def _windows(profile, purposes):
    """[from, to] of the trials without lowered limits, in seconds since the profile's start."""
    began = _seconds(profile["startedTime"])
    ceiling = max((t["limits"]["cpu"], t["limits"]["memoryInBytes"]) for t in profile["trials"])
    return [(_seconds(t["startedTime"]) - began, _seconds(t["startedTime"]) - began + t["seconds"])
            for t in profile["trials"] if t["purpose"] in purposes
            and (t["limits"]["cpu"], t["limits"]["memoryInBytes"]) == ceiling]


def _within(series, windows):
    return [(at, value) for at, value in series if any(a <= at <= b for a, b in windows)]


def _by_second(series):
    seconds = {}
    for at, value in series:
        seconds.setdefault(int(at), []).append(value)
    return seconds.values()


def _means(series):
    return [sum(values) / len(values) for values in _by_second(series)]


def _scrapes(series):
    return [values[0] for values in _by_second(series)]


def _working_set(samples):
    """Unreclaimable memory, and what of files is mapped at that moment."""
    mapped = dict(samples.get("mappedFileInBytes", []))
    return [(at, value + mapped.get(at, 0)) for at, value in samples.get("memoryInBytes", [])]


def answers(profile):
    """{rule: {"cpu" (None: no word on it), "memoryInBytes", "cpuIsLimit"}}; {} where the run left
    no such traces."""
    if not profile["trials"]:
        return {}
    load = _windows(profile, {"load"})
    cpu = _means(_within(profile["samples"].get("cpuCores", []), load))
    until_load = _windows(profile, {"coldStart", "warmUp", "rows", "load"})
    memory = _scrapes(_within(_working_set(profile["samples"]), until_load))
    if not cpu or not memory:
        return {}
    result = {}
    for name, rule in RULES.items():
        cores, size = rule(cpu, memory)
        result[name] = {"cpu": None if cores is None else max(math.ceil(cores * 10 - 1e-6), 1) / 10,
                        "memoryInBytes": math.ceil(size / GRID_MEMORY) * GRID_MEMORY,
                        "cpuIsLimit": name not in WITHOUT_CPU_LIMIT}
    return result
