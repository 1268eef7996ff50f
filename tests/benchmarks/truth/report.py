"""The results as a table and a plot in docs/, and their sum against the goals."""

import json
import pathlib
import statistics

import checks
import judgement
import kept
import needs
import plot
import targets

BEGIN, END = "<!-- truth:begin -->", "<!-- truth:end -->"
RECOMMENDERS = ("mlprof", "VPA", "KRR", "Autopilot", "Kruize", "max_ram")
LARGE = 256 << 20
MIB = 1 << 20


def load(results):
    """One entry a finished target, in the order they are defined: of this folder, else as kept."""
    entries = []
    for target in targets.ALL:
        path = pathlib.Path(results) / f"{target.name}.json"
        values = json.loads(path.read_text()) if path.exists() else {}
        if "checks" not in values:
            values = kept.find(target)
        if "checks" in values:
            entries.append(_entry(target, values))
    return entries


def _entry(target, values):
    true, found = values["oracle"], values["checks"]
    low, high = true.get("cpuInterval", [true["cpu"]] * 2)
    entry = {"name": target.name, "about": target.about, "grows": target.grows,
             "needed": _needed(target, true), "violations": needs.violations(target, values),
             "cpu": true["cpu"], "memoryInBytes": true["memoryInBytes"],
             "state": values["profile"]["state"], "seconds": values["profile"]["wallSeconds"],
             "warnings": values["profile"]["warnings"], "by": {}}
    answer = values["profile"]["recommendation"]
    entry["verified"] = bool(answer and answer["verified"])
    for who in RECOMMENDERS:
        if who in found:
            entry["by"][who] = {
                "cpu": found[who]["cpu"], "memoryInBytes": found[who]["memoryInBytes"],
                "slack": found[who]["memoryInBytes"] / true["memoryInBytes"] - 1,
                "excessInBytes": found[who]["memoryInBytes"] - true["memoryInBytes"],
                "cpuWithinStep": _within_step(found[who]["cpu"], low, high),
                "runs": found[who]["runs"], "failures": checks.failures(found[who]),
                "oomKills": found[who]["oomKills"], "misses": found[who]["misses"]}
    return entry


def _needed(target, true):
    """The true cores and MiB as the table has them: an interval where the host left doubt."""
    cpu = true.get("cpuInterval", [true["cpu"]] * 2)
    memory = true.get("memoryIntervalInBytes", [true["memoryInBytes"]] * 2)
    return (judgement.between(*cpu, ".1f"),
            "grows" if target.grows else judgement.between(*(size // MIB for size in memory)))


def _within_step(cpu, low, high=None):
    """Of the true interval; None where there is no word on CPU."""
    if cpu is None:
        return None
    true = min(max(cpu, low), low if high is None else high)
    return abs(cpu - true) <= max(0.1, 0.1 * true) + 1e-9


def _share(known):
    known = [one for one in known if one is not None]
    return sum(known) / len(known) if known else None


def summary(entries):
    """Each recommender's figures over the same targets. Leaking ones have no memory need."""
    result = {"targets": len(entries), "unanswered": sum(not e["by"].get("mlprof") for e in entries)}
    for who in RECOMMENDERS:
        of = [e for e in entries if who in e["by"]]
        steady = [e for e in of if not e["grows"]]
        large = [e["by"][who]["slack"] for e in steady if e["memoryInBytes"] >= LARGE]
        small = [e["by"][who]["excessInBytes"] / MIB for e in steady if e["memoryInBytes"] < LARGE]
        result[who] = {
            "answers": len(of),
            "memorySlackMedian": statistics.median(large) if large else None,
            "memorySlackWorst": max(large) if large else None,
            "memorySlackLeast": min(large) if large else None,
            "smallExcessWorstInMib": max(small) if small else None,
            "cpuWithinOneStep": _share(e["by"][who]["cpuWithinStep"] for e in of),
            "cpuOtherThanOneWithinOneStep": _share(
                e["by"][who]["cpuWithinStep"] for e in of if e["cpu"] != 1.0),
            "runs": sum(e["by"][who]["runs"] for e in of),
            "oomKills": sum(e["by"][who]["oomKills"] for e in of),
            "misses": sum(e["by"][who]["misses"] for e in of),
            "failures": sum(e["by"][who]["failures"] for e in of)}
    return result


def _percent(value):
    return "–" if value is None else f"{value * 100:+.0f}%"


def summary_text(total):
    lines = [f"{total['targets']} targets, {total['unanswered']} without an answer by mlprof",
             f"{'':11} {'memory slack (needs of 256 MiB and more)':42} {'below: worst':>13}"
             f" {'CPU within a step':>18} {'failed runs':>12}"]
    for who in RECOMMENDERS:
        t = total[who]
        slack = (f"median {_percent(t['memorySlackMedian'])}, least "
                 f"{_percent(t['memorySlackLeast'])}, worst {_percent(t['memorySlackWorst'])}")
        small = t["smallExcessWorstInMib"]
        cpu = t["cpuWithinOneStep"]
        lines.append(f"{who:11} {slack:42} {'–' if small is None else f'{small:+.0f} MiB':>13}"
                     f" {'–' if cpu is None else f'{cpu:.0%}':>18}"
                     f" {t['failures']:>5} of {t['runs']}")
    return "\n".join(lines)


def _whole(share):
    return "–" if share is None else f"{share:.0%}"


def _cell(entry, who):
    by = entry["by"].get(who)
    if by is None:
        return "– | –"
    size = f"{by['memoryInBytes'] // MIB}"
    if not entry["grows"]:
        size += f" ({_percent(by['slack'])})"
    bad = [f"{by[key]} {name}" for key, name in (("oomKills", "OOM"), ("misses", "slow")) if by[key]]
    others = by["failures"] - by["oomKills"] - by["misses"]
    bad += [f"{others} failed"] if others else []
    cpu = "–" if by["cpu"] is None else f"{by['cpu']:.1f}"
    return f"{cpu} | {size}{' **' + ', '.join(bad) + '**' if bad else ''}"


def _sum_table(total):
    goals = ("", "goal: median ≤ 12%, worst ≤ 25%", "goal: ≤ 32 MiB", "goal: ≥ 90%", "goal: 0")
    lines = ["| | memory slack, needs of 256 MiB and more: median, least, worst | smaller needs: "
             "most above | CPU within one step; of needs other than 1.0 | runs failed: OOM, slow, "
             "other |",
             "|---|---|---|---|---|", f"| {' | '.join(goals)} |"]
    for who in RECOMMENDERS:
        t = total[who]
        small, cpu = t["smallExcessWorstInMib"], t["cpuWithinOneStep"]
        others = t["failures"] - t["oomKills"] - t["misses"]
        lines.append(
            f"| {who} | {_percent(t['memorySlackMedian'])}, {_percent(t['memorySlackLeast'])}, "
            f"{_percent(t['memorySlackWorst'])} | {'–' if small is None else f'{small:+.0f} MiB'} | "
            f"{_whole(cpu)}; {_whole(t['cpuOtherThanOneWithinOneStep'])} | {t['failures']} of {t['runs']}: "
            f"{t['oomKills']}, {t['misses']}, {others} |")
    return lines


def _table(entries):
    names = "".join(f" {who} cores | {who} MiB |" for who in RECOMMENDERS)
    lines = [f"| target | true cores | true MiB |{names}", "|---|" + "---|" * (2 + 2 * len(RECOMMENDERS))]
    for e in entries:
        cells = " | ".join(_cell(e, who) for who in RECOMMENDERS)
        lines.append(f"| {e['name']}: {e['about']} | {' | '.join(e['needed'])} | {cells} |")
    return lines


def _violated(entries):
    found = [sentence for e in entries for sentence in e["violations"]]
    return ["", *(f"- Against what was planted: {one}." for one in found)] if found else []


def _section(entries):
    total = summary(entries)
    return "\n".join([
        BEGIN, "",
        f"{total['targets']} targets; {total['unanswered']} without an answer by mlprof. "
        "Every answer was run in fresh containers; bold: how many of them failed.", "",
        *_sum_table(total), "", "![memory slack of each recommender](truth.svg)", "",
        *_table(entries), *_violated(entries), "", END])


def write(results, docs):
    """Replaces what stands between the marks in MEASUREMENT.md; writes truth.svg."""
    entries = load(results)
    if not entries:
        raise SystemExit("truth: no finished target to report; run it first")
    path = docs / "MEASUREMENT.md"
    text = path.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"truth: {path} lacks the marks {BEGIN} and {END}")
    path.write_text(before + _section(entries) + after, encoding="utf-8")
    (docs / "truth.svg").write_text(plot.draw(entries, RECOMMENDERS), encoding="utf-8")
    print(summary_text(summary(entries)))
