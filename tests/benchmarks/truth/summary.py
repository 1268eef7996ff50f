"""The sum of all targets, against the goals."""

import statistics

import targets

RECOMMENDERS = ("mlprof", "VPA", "KRR", "Autopilot", "Kruize", "max_ram")
LARGE = 256 << 20
MIB = 1 << 20
MOST_NAMES = 10


def of(entries):
    """Each recommender's figures over the same targets. Leaking ones have no memory need."""
    measured = {entry["name"] for entry in entries}
    comparable = [target.name for target in targets.ALL if target.answerable]
    total = {"targets": len(entries), "ofTargets": len(comparable),
             "notMeasured": [name for name in comparable if name not in measured],
             "unanswered": sum(not entry["by"].get("mlprof") for entry in entries)}
    return total | {who: _of_one(entries, who) for who in RECOMMENDERS}


def _of_one(entries, who):
    answered = [entry for entry in entries if who in entry["by"]]
    found = [entry["by"][who] for entry in answered]
    steady = [(entry["memoryInBytes"] >= LARGE, entry["by"][who])
              for entry in answered if not entry["grows"]]
    slack = [one["slack"] for large, one in steady if large]
    small = [one["excessInBytes"] / MIB for large, one in steady if not large]
    return {
        "answers": len(found),
        "memorySlackMedian": statistics.median(slack) if slack else None,
        "memorySlackWorst": max(slack, default=None),
        "memorySlackLeast": min(slack, default=None),
        "smallExcessWorstInMib": max(small, default=None),
        "cpuWithinOneStep": _share(one["cpuWithinStep"] for one in found),
        "cpuOtherThanOneWithinOneStep": _share(
            entry["by"][who]["cpuWithinStep"] for entry in answered if entry["cpu"] != 1.0),
        "runs": sum(one["runs"] for one in found),
        "oomKills": sum(one["oomKills"] for one in found),
        "misses": sum(one["misses"] for one in found),
        "failures": sum(one["failures"] for one in found)}


def _share(known):
    known = [one for one in known if one is not None]
    return sum(known) / len(known) if known else None


def scope(total):
    """Of how many targets it is the sum, and which are missing."""
    missing = total["notMeasured"]
    names = f" ({', '.join(missing)})" if 0 < len(missing) <= MOST_NAMES else ""
    return (f"{total['targets']} of {total['ofTargets']} targets, {len(missing)} not measured"
            f"{names}; {total['unanswered']} without an answer by mlprof")


def percent(value):
    return "–" if value is None else f"{value * 100:+.0f}%"


def text(total):
    lines = [scope(total),
             f"{'':11} {'answers':>7} {'memory slack (needs of 256 MiB and more)':42}"
             f" {'below: worst':>13} {'CPU within a step':>18} {'failed runs':>12}"]
    for who in RECOMMENDERS:
        t = total[who]
        slack = (f"median {percent(t['memorySlackMedian'])}, least "
                 f"{percent(t['memorySlackLeast'])}, worst {percent(t['memorySlackWorst'])}")
        small = t["smallExcessWorstInMib"]
        cpu = t["cpuWithinOneStep"]
        lines.append(f"{who:11} {t['answers']:>7} {slack:42}"
                     f" {'–' if small is None else f'{small:+.0f} MiB':>13}"
                     f" {'–' if cpu is None else f'{cpu:.0%}':>18}"
                     f" {t['failures']:>5} of {t['runs']}")
    return "\n".join(lines)
