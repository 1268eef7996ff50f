"""What other recommenders' rules make of the traces that mlprof stored of the same run.

They are given a good case: one reading a second (they scrape every 15 to 60), which is a mean for
CPU, the objective's load without limits for as long as mlprof applied it, and memory without page
cache. Their answers are rounded up to mlprof's grid.
"""

import datetime
import math

GRID_MEMORY = 16 << 20


def _quantile(values, share):
    ordered = sorted(values)
    return ordered[max(math.ceil(share * len(ordered)), 1) - 1]


def _vpa(cpu, memory):
    """Vertical Pod Autoscaler: 90th percentile and peak, 15% on top of both."""
    return 1.15 * _quantile(cpu, 0.90), 1.15 * max(memory)


def _krr(cpu, memory):
    """Kubernetes Resource Recommender: 95th percentile; peak and 15%."""
    return _quantile(cpu, 0.95), 1.15 * max(memory)


def _azure(cpu, memory):
    """What Azure ML's profiling reported: the most that was used."""
    return max(cpu), max(memory)


RULES = {"VPA": _vpa, "KRR": _krr, "Azure-like": _azure}


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


def answers(profile):
    """{rule: {"cpu", "memoryInBytes"}}; {} where the run left no such traces."""
    if not profile["trials"]:
        return {}
    load = _windows(profile, {"load"})
    cpu = _means(_within(profile["samples"].get("cpuCores", []), load))
    memory = _scrapes(_within(profile["samples"].get("memoryInBytes", []),
                              _windows(profile, {"coldStart", "warmUp", "rows", "load"})))
    if not cpu or not memory:
        return {}
    result = {}
    for name, rule in RULES.items():
        cores, size = rule(cpu, memory)
        result[name] = {"cpu": max(math.ceil(cores * 10 - 1e-6), 1) / 10,
                        "memoryInBytes": math.ceil(size / GRID_MEMORY) * GRID_MEMORY}
    return result
