"""The tables of docs/TRUTH.md."""

import collections

import checks
import summary
from summary import RECOMMENDERS, percent

MIB = 1 << 20
NOT_RUN = "°"
MARKS = "¹²³⁴⁵"
SUM_HEAD = ("", "answers", "memory slack, needs of 256 MiB and more: median, least, worst",
            "smaller needs: most above", "CPU within one step; of needs other than 1.0",
            "runs failed: OOM, slow, other")
GOALS = ("", "", "goal: median ≤ 12%, worst ≤ 25%", "goal: ≤ 32 MiB", "goal: ≥ 90%", "goal: 0")


def of(entries):
    total = summary.of(entries)
    return "\n".join([
        f"{summary.scope(total)}. Answers were run in fresh containers; bold: how many of them failed; "
        f"{NOT_RUN}: nobody ran it.", "",
        *_sum_table(total), "", "![memory slack of each recommender](truth.svg)", "",
        *_table(entries), "", f"{_builds(entries)} {_looks(entries)}{_control(entries)}",
        *_violated(entries)])


def _row(cells):
    return f"| {' | '.join(cells)} |"


def _sum_table(total):
    return [_row(SUM_HEAD), "|---" * len(SUM_HEAD) + "|", _row(GOALS),
            *(_sum_row(who, total[who]) for who in RECOMMENDERS)]


def _sum_row(who, t):
    small = t["smallExcessWorstInMib"]
    others = t["failures"] - t["oomKills"] - t["misses"]
    return _row((
        who, str(t["answers"]),
        ", ".join(percent(t[f"memorySlack{which}"]) for which in ("Median", "Least", "Worst")),
        "–" if small is None else f"{small:+.0f} MiB",
        f"{_whole(t['cpuWithinOneStep'])}; {_whole(t['cpuOtherThanOneWithinOneStep'])}",
        f"{t['failures']} of {t['runs']}: {t['oomKills']}, {t['misses']}, {others}"))


def _whole(share):
    return "–" if share is None else f"{share:.0%}"


def _table(entries):
    head = ["target", "true cores", "true MiB",
            *(f"{who} {what}" for who in RECOMMENDERS for what in ("cores", "MiB"))]
    return [_row(head), "|---" * len(head) + "|",
            *(_row([f"{e['name']}: {e['about']}{mark}", *e["needed"],
                    *(_cell(e, who) for who in RECOMMENDERS)])
              for e, mark in zip(entries, _marks(entries)))]


def _cell(entry, who):
    """Two columns: cores and MiB."""
    by = entry["by"].get(who)
    if by is None:
        return "– | –"
    size = f"{by['memoryInBytes'] // MIB}"
    if not entry["grows"]:
        size += f" ({percent(by['slack'])})"
    others = by["failures"] - by["oomKills"] - by["misses"]
    bad = [f"{count} {name}" for count, name in (
        (by["oomKills"], "OOM"), (by["misses"], "slow"), (others, "failed")) if count]
    cpu = "–" if by["cpu"] is None else f"{by['cpu']:.1f}"
    not_run = "" if by["runs"] else f" {NOT_RUN}"
    return f"{cpu} | {size}{not_run}{' **' + ', '.join(bad) + '**' if bad else ''}"


def _marks(entries):
    """One an entry: which kind of machine, where it is not that of most."""
    kinds = [_machine(entry) for entry in entries]
    often = [kind for kind, _ in collections.Counter(kinds).most_common()]
    return ["" if kind == often[0] else f" {MARKS[often.index(kind) - 1]}" for kind in kinds]


def _builds(entries):
    """Which builds and machines the rows are of."""
    told = [f"{_build(entry)}, on {_machine(entry)}{mark}"
            for entry, mark in zip(entries, _marks(entries))]
    return "Measured: " + "; ".join(
        f"{count} {'row' if count == 1 else 'rows'} of {one}"
        for one, count in collections.Counter(told).items()) + "."


def _looks(entries):
    """By which rule what was slow counted."""
    earlier = sum(entry["earlier_rule"] for entry in entries)
    rows = f" ({earlier} of {len(entries)} rows: by an earlier rule)" if earlier else ""
    by_host = sum(entry["slow_by_host"] for entry in entries)
    told = (f" {by_host} looks at mlprof's answers were slow by the host alone, and were taken again."
            if by_host else "")
    return (f"A run counted as slow where its limits may be why and most looks in turn were"
            f"{rows}.{told}")


def _control(entries):
    """How often a look at a container without limits is slow."""
    controls = [entry["control"] for entry in entries
                if entry["control"] and entry["control"].get("rule") == checks.RULE]
    if not controls:
        return ""
    runs, misses = (sum(one[name] for one in controls) for name in ("runs", "misses"))
    return (f" Of {runs} containers without limits that were looked at once each in {len(controls)} "
            f"rows, {misses} were slow.")


def _build(entry):
    build = entry["build"]
    if not build:
        return "a build that was not recorded"
    at = f" at {build['commit']}" if build["commit"] else ""
    budget = build["budgetSeconds"]
    asked = f"a budget of {budget} s" if budget else "mlprof's own budget"
    return f"mlprof {build['version']}{at} with {asked}, {entry['runs']} containers an answer"


def _machine(entry):
    machine = entry["machine"]
    return (f"{machine['cores']} cores ({machine['cpu'].replace('(R)', '')}), "
            f"{machine['memoryInGib']} GiB, cgroup v{machine['cgroup']}")


def _violated(entries):
    found = [sentence for e in entries for sentence in e["violations"]]
    return ["", *(f"- Against what was planted: {one}." for one in found)] if found else []
