"""The results as a table and a plot in docs/: what is taken of each target."""

import checks
import judgement
import kept
import needs
import plot
import summary
import tables
import targets
from results import Results

BEGIN, END = "<!-- truth:begin -->", "<!-- truth:end -->"
MIB = 1 << 20


def load(results, build=None):
    """One entry a finished target, in the order they are defined: of this folder, else as kept; with
    a build, of what is kept of that one alone, on any kind of machine.
    None where no limits were seen to hold together: nothing is known that an answer could miss."""
    entries = []
    for target in targets.ALL:
        values = {} if build else Results(results, target).values
        if _refuted(values):
            continue
        if not _finished(target, values):
            values = kept.of_build(target, build) if build else kept.find(target)
        if _finished(target, values):
            entries.append(_entry(target, values))
    return entries


def _refuted(values):
    """Whether no memory was found that lasts: an oracle that was kept before that is none."""
    true = values.get("oracle", {})
    return "lasted" in true and not true["confirmed"]


def _finished(target, values):
    return "checks" in values and kept.worth_keeping(target, values["oracle"])


def _entry(target, values):
    true, found, profile = values["oracle"], values["checks"], values["profile"]
    low, high = true.get("cpuInterval", [true["cpu"]] * 2)
    entry = {"name": target.name, "about": target.about, "grows": target.grows,
             "needed": _needed(target, true), "violations": needs.violations(target, values),
             "cpu": true["cpu"], "memoryInBytes": true["memoryInBytes"],
             "state": profile["state"], "seconds": profile["wallSeconds"],
             "warnings": profile["warnings"], "build": profile.get("build"),
             "machine": values.get("host") or kept.host(),
             "runs": max((one["runs"] for one in found.values()), default=0),
             "earlier_rule": checks.by_this_rule(found) != found, "by": {},
             "slow_by_host": len(found.get("mlprof", {}).get("slowByHost", ())),
             "control": found.get("control")}
    answer = profile["recommendation"]
    entry["verified"] = bool(answer and answer["verified"])
    for who in summary.RECOMMENDERS:
        # What it answered to the same profile, where nobody ran that in containers.
        answered = found.get(who) or values.get("rules", {}).get(who)
        if answered:
            entry["by"][who] = {
                "cpu": answered["cpu"], "memoryInBytes": answered["memoryInBytes"],
                "slack": answered["memoryInBytes"] / true["memoryInBytes"] - 1,
                "excessInBytes": answered["memoryInBytes"] - true["memoryInBytes"],
                "cpuWithinStep": _within_step(answered["cpu"], low, high),
                **_ran(found.get(who))}
    return entry


def _ran(check):
    if check is None:
        return {"runs": 0, "failures": 0, "oomKills": 0, "misses": 0}
    return {"runs": check["runs"], "failures": checks.failures(check),
            "oomKills": check["oomKills"], "misses": check["misses"]}


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


def write(results, docs, build=None):
    """Replaces what stands between the marks in TRUTH.md; writes truth.svg."""
    entries = load(results, build)
    if not entries:
        raise SystemExit("truth: no finished target to report; run it first")
    path = docs / "TRUTH.md"
    text = path.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"truth: {path} lacks the marks {BEGIN} and {END}")
    section = f"{BEGIN}\n\n{tables.of(entries)}\n\n{END}"
    path.write_text(before + section + after, encoding="utf-8")
    (docs / "truth.svg").write_text(plot.draw(entries, summary.RECOMMENDERS), encoding="utf-8")
    print(summary.text(summary.of(entries)))
