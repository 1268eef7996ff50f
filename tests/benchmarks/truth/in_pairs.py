#!/usr/bin/env python3
"""Before and after in one run: profiles targets by an earlier build and by this one, in turns.

in_pairs.py BEFORE, the bin folder of the earlier build in its own working tree, as
`git worktree add FOLDER COMMIT` and a release build there make it. Each target is profiled once by
each, and the one that began ends the next turn. Kept in measured/pairs.json after each turn. Needs
what truth.py needs; the targets are served by this build's programs for both.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

import again
import build
import compiled
import json_file
import kept
import place
import profiled
import targets

KEPT = kept.FOLDER / "pairs.json"
SIDES = ("before", "after")


def order(turn):
    """Neither build always has the warmer machine."""
    return SIDES if turn % 2 == 0 else SIDES[::-1]


def ratios(turns):
    return [turn["after"]["seconds"] / turn["before"]["seconds"] for turn in turns]


def answer(one):
    if one["cpu"] is None:
        return one["state"]
    return (f"{one['cpu']:.1f} cores {one['memoryInMib']:.0f} MiB"
            + ("" if one["verified"] else " not verified"))


def told(found):
    """Lines of {name: [{"before": answer, "after": answer}]}."""
    lines = []
    for name, turns in found.items():
        sides = "; ".join(
            f"{side} {'/'.join(str(round(turn[side]['seconds'])) for turn in turns)} s, "
            + ", ".join(dict.fromkeys(answer(turn[side]) for turn in turns)) for side in SIDES)
        lines.append(f"{name:20} {statistics.median(ratios(turns)):.2f}: {sides}")
    every = [ratio for turns in found.values() for ratio in ratios(turns)]
    if not every:
        return ["nothing is known of these builds"]
    before, after = (sum(turn[side]["seconds"] for turns in found.values() for turn in turns)
                     for side in SIDES)
    return [*lines, f"{len(every)} pairs: {before:.0f} s before, {after:.0f} s after, "
            f"{after / before:.2f} in all; {statistics.median(every):.2f} in the median, "
            f"{min(every):.2f} to {max(every):.2f}"]


def of_builds(found, commits):
    """Less the turns of other builds, or of targets that have changed since."""
    key = {target.name: kept.key(target, kept.host()) for target in targets.ALL}
    return {name: some for name, turns in found.items()
            if (some := [turn for turn in turns if all(
                turn[side]["build"] == commits[side] and turn[side]["key"] == key[name]
                for side in SIDES)])}


def profile_here(name, results):
    """What the programs of MLPROF_BIN answer, on standard output."""
    target = next(one for one in targets.ALL if one.name == name)
    folder = (compiled if target.compiled else place).Folder(results, target)
    folder.make(lambda: place.training_python(results))
    with profiled.Profiler(results) as profiler:
        print(json.dumps(again.asked(profiler, folder)))


def profiled_by(programs, commit, name, results):
    """By a process of its own, since the programs are chosen as it begins, and on data of its own,
    which an earlier build could not read."""
    done = subprocess.run([sys.executable, "-B", __file__, "--here", name, "--results",
                           results / "pairs" / commit], check=True, stdout=subprocess.PIPE,
                          env={**os.environ, "MLPROF_BIN": str(programs)})
    return {**json.loads(done.stdout), "build": commit}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", nargs="?", type=pathlib.Path, metavar="BEFORE")
    parser.add_argument("--results", default=again.ROOT / "build/truth", type=pathlib.Path,
                        metavar="DIR")
    parser.add_argument("--only", action="append", metavar="NAME", help="these targets alone")
    parser.add_argument("--times", type=int, default=1, metavar="N", help="default 1")
    parser.add_argument("--here", metavar="NAME", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.here:
        return profile_here(options.here, options.results)
    if not options.before or not (options.before / "mlprof").exists():
        parser.error("no mlprof in the folder of the earlier build")
    programs = {"before": options.before.resolve(), "after": place.BIN.resolve()}
    commits = {side: build.commit(path.parents[2]) for side, path in programs.items()}
    if unnamed := [side for side, commit in commits.items() if commit.endswith("-dirty")]:
        parser.error(f"the programs {' and '.join(unnamed)} differ from what git knows")
    place.make_image()
    for turn in range(options.times):
        for name in options.only or again.CHOSEN:
            found = json_file.read(KEPT, {})
            if len(of_builds(found, commits).get(name, [])) > turn:
                continue
            pair = {side: profiled_by(programs[side], commits[side], name, options.results)
                    for side in order(turn)}
            found.setdefault(name, []).append(pair)
            json_file.write(KEPT, found, indent=1, sort_keys=True)
            print(time.strftime("%H:%M:%S"), told({name: [pair]})[0], file=sys.stderr, flush=True)
    print("\n".join(told(of_builds(json_file.read(KEPT, {}), commits))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
