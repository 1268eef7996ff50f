#!/usr/bin/env python3
"""Is it one answer? Profiles targets several times over and compares what was said.

In rounds: every target once, then every target again, so that the answers to one target lie far
apart in time. Kept in measured/answers.json after each profile, with how busy the host was; an
answer of another build or of another target counts as none. Needs what truth.py needs, but no quiet
machine: a neighbour's work is part of the question.
"""

import argparse
import os
import pathlib
import statistics
import sys
import time

import build
import compiled
import json_file
import kept
import place
import profiled
import targets

ROOT = pathlib.Path(__file__).resolve().parents[3]
KEPT = kept.FOLDER / "answers.json"
MIB = 1 << 20
CPU_STEP = 0.1
# Loads of every kind: busy, sleeping, paced, in flight, spiky, mapped, workers, a cache.
CHOSEN = ("cpu-20ms", "rows-1ms-paced", "sleep-50ms", "paced-10rps", "row-spike-500", "keep-256",
          "mapped-300-quarter", "in-flight-4", "half-sleep", "workers-4-lazy", "go-trees",
          "cache-bounded")


def memory_step(mib):
    return max(16.0, 0.05 * mib)


def same(answers):
    """How many of the answers lie within one step of their median, of each kind."""
    cpu = statistics.median_low(one["cpu"] for one in answers)
    mib = statistics.median_low(one["memoryInMib"] for one in answers)
    return (sum(abs(one["cpu"] - cpu) <= CPU_STEP + 1e-9 for one in answers),
            sum(abs(one["memoryInMib"] - mib) <= memory_step(mib) + 1e-9 for one in answers))


def told(name, answers):
    given = [one for one in answers if one["cpu"] is not None]
    line = f"{name:20} {len(given)} of {len(answers)} answered"
    if not given:
        return line
    cpu, memory = same(given)
    return (f"{line}; CPU within a step {cpu}: "
            + " ".join(f"{one['cpu']:.1f}" for one in given)
            + f"; memory within a step {memory}: "
            + " ".join(f"{one['memoryInMib']:.0f}" for one in given))


def host_use(before, after):
    """How busy the host's cores were, with all that ran there, and what the machine below stole."""
    spent = [late - early for early, late in zip(before, after)]
    total = sum(spent) or 1
    return {"busy": round(1 - (spent[3] + spent[4]) / total, 3),
            "stolen": round(spent[7] / total, 3)}


def processor_time():
    fields = pathlib.Path("/proc/stat").read_text(encoding="ascii").splitlines()[0].split()
    return [int(field) for field in fields[1:9]]


def asked(profiler, folder):
    before = processor_time()
    profile = profiler.profile(folder, None)
    answer = profile["recommendation"]
    return {"build": profile["build"]["commit"], "key": kept.key(folder.target, kept.host()),
            "state": profile["state"], "seconds": round(profile["wallSeconds"], 1),
            "startedTime": profile["startedTime"], "warnings": profile["warnings"],
            "host": host_use(before, processor_time()),
            "cpu": answer and answer["requestedCpu"],
            "memoryInMib": answer and answer["requestedMemoryInBytes"] / MIB,
            "verified": answer and answer["verified"], "tight": answer and answer["tight"],
            "cpuConfidence": answer and answer["cpu"]["confidence"],
            "memoryConfidence": answer and answer["memory"]["confidence"]}


def of_this_build(answers, target):
    key, commit = kept.key(target, kept.host()), build.commit()
    return [one for one in answers if one["key"] == key and one["build"] == commit]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", default=ROOT / "build/truth", type=pathlib.Path, metavar="DIR")
    parser.add_argument("--only", action="append", metavar="NAME", help="these targets alone")
    parser.add_argument("--times", type=int, default=5, metavar="N", help="default 5")
    parser.add_argument("--report", action="store_true", help="tell what is known, run nothing")
    options = parser.parse_args()
    known = {target.name: target for target in targets.ALL}
    names = options.only or CHOSEN
    found = json_file.read(KEPT, {})
    if options.report:
        for name in names:
            print(told(name, found.get(name, [])))
        return 0
    place.make_image()
    with profiled.Profiler(options.results) as profiler:
        for turn in range(options.times):
            for name in names:
                target = known[name]
                answers = of_this_build(found.get(name, []), target)
                if len(answers) > turn:
                    continue
                folder = (compiled if target.compiled else place).Folder(options.results, target)
                folder.make(lambda: place.training_python(options.results))
                one = asked(profiler, folder)
                found[name] = [*answers, one]
                json_file.write(KEPT, found, indent=1, sort_keys=True)
                print(f"{time.strftime('%H:%M:%S')} {name}: {one['state']} {one['cpu']} cores, "
                      f"{one['memoryInMib']} MiB, {one['seconds']} s, "
                      f"load {os.getloadavg()[0]:.1f}", file=sys.stderr, flush=True)
    for name in names:
        print(told(name, found.get(name, [])))
    return 0


if __name__ == "__main__":
    sys.exit(main())
