#!/usr/bin/env python3
"""Before and after: the rows kept at an earlier commit beside those of one build kept now.

since.py COMMIT [BUILD]: what the profiles took, which answers moved by more than a step (0.1 core;
16 MiB or 5%), and how many containers failed at them, of all targets that have both rows. Without
BUILD beside the newest rows that are kept. Runs nothing; needs git. A row of another kind of host is
no pair for time: those are summed apart.
"""

import argparse
import json
import statistics
import subprocess

import again
import checks
import kept
import targets

MIB = 1 << 20


def git(*words):
    """None where git says no."""
    found = subprocess.run(["git", *words], cwd=kept.FOLDER.parent, check=False,
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return found.stdout if found.returncode == 0 else None


def is_commit(word):
    return git("rev-parse", "--verify", "--quiet", f"{word}^{{commit}}") is not None


def entries_at(commit, name):
    found = git("show", f"{commit}:./measured/{name}.json")
    return [] if found is None else json.loads(found)


def row(entry):
    """What is compared of an entry; None where no answer was checked in it."""
    profile = entry.get("profile") or {}
    answer, check = profile.get("recommendation"), (entry.get("checks") or {}).get("mlprof")
    if not answer or not check or not profile.get("wallSeconds"):
        return None
    return {"host": entry["host"], "build": (profile.get("build") or {}).get("commit"),
            "seconds": profile["wallSeconds"], "cpu": answer["requestedCpu"],
            "mib": answer["requestedMemoryInBytes"] / MIB, "runs": check["runs"],
            "failures": checks.failures(check), "rule": check.get("rule", 1)}


def rows_of(entries, build=None):
    found = [one for one in map(row, entries) if one]
    return [one for one in found if build is None or one["build"] == build]


def pair(before, after):
    """(before, after) of one target, on the same kind of host where there is such; None without.
    Entries are in the order in which they were kept; one that is still there is no row after."""
    late_ones = [one for one in reversed(after) if one not in before]
    pairs = [(early, late) for late in late_ones for early in reversed(before)]
    pairs.sort(key=lambda both: both[0]["host"] != both[1]["host"])
    return pairs[0] if pairs else None


def time_taken(pairs):
    ratios = [late["seconds"] / early["seconds"] for early, late in pairs]
    early, late = (sum(one["seconds"] for one in side) for side in zip(*pairs))
    return (f"{len(pairs)} targets, {early:.0f} s before and {late:.0f} s after; "
            f"{statistics.median(ratios):.2f} of the time in the median, "
            f"{min(ratios):.2f} to {max(ratios):.2f}")


def failed(rows):
    rows = list(rows)
    return f"{sum(one['failures'] for one in rows)} of {sum(one['runs'] for one in rows)}"


def moved(name, early, late):
    """A line where the answer is another one; None where it lies within a step."""
    cpu = abs(late["cpu"] - early["cpu"]) > again.CPU_STEP + 1e-9
    memory = abs(late["mib"] - early["mib"]) > again.memory_step(early["mib"]) + 1e-9
    if not cpu and not memory:
        return None
    return (f"{name}: {early['cpu']:g} cores, {early['mib']:.0f} MiB before; "
            f"{late['cpu']:g} cores, {late['mib']:.0f} MiB after")


def told(pairs):
    """Lines of {name: (before, after)}."""
    same = [both for both in pairs.values() if both[0]["host"] == both[1]["host"]]
    other = [both for both in pairs.values() if both[0]["host"] != both[1]["host"]]
    lines = [f"{kind}: {time_taken(some)}" for kind, some in
             (("same kind of host", same), ("another kind of host", other)) if some]
    moves = [line for name, both in pairs.items() if (line := moved(name, *both))]
    early, late = zip(*pairs.values())
    rules = {one["rule"] for one in early} != {one["rule"] for one in late}
    return [*lines, f"containers that failed: {failed(early)} before, {failed(late)} after"
            + (" (each by the rule of its day)" if rules else ""),
            f"answers that moved by more than a step: {len(moves)} of {len(pairs)}", *moves]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commit", help="an earlier commit of this repository")
    parser.add_argument("build", nargs="?", help="the build of the rows after, as the table names it")
    options = parser.parse_args()
    if not is_commit(options.commit):
        parser.exit(2, f"since: git knows no commit {options.commit}\n")
    pairs = {}
    for target in targets.ALL:
        found = pair(rows_of(entries_at(options.commit, target.name)),
                     rows_of(kept.entries(target.name), options.build))
        if found:
            pairs[target.name] = found
    if not pairs:
        parser.exit(1, f"since: no target has a row at {options.commit} and another one now\n")
    print("\n".join(told(pairs)))


if __name__ == "__main__":
    main()
