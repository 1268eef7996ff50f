#!/usr/bin/env python3
"""How right is mlprof? Finds the true need of targets by brute force and compares.

For each target: mlprof's answer by its command line; the smallest limits that hold, and last, in
plain containers, found without mlprof; fresh containers at mlprof's limits and at those that the
rules of other recommenders make of the same traces. Everything found is kept in the results folder,
a file a target, and is not done again unless asked for, or unless the target, a rule or the machine
is not the same any more. Where a target's need was planted, what the oracle and mlprof say is held
against it; a violation is printed, and the exit status is 1.

Needs root, a Docker engine, a quiet machine and build/release (see MLPROF_BIN).
"""

import argparse
import json
import pathlib
import signal
import sys
import time

import build
import checks
import compiled
import endurance
import engine
import json_file
import judgement
import kept
import needs
import neighbour
import oracle
import pace
import place
import profiled
import report
import rules
import summary
import targets
from results import Results

ROOT = pathlib.Path(__file__).resolve().parents[3]


def parse():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", default=ROOT / "build/truth", type=pathlib.Path,
                        metavar="DIR", help="where everything is kept (default build/truth)")
    parser.add_argument("--only", action="append", metavar="NAME", help="these targets alone")
    parser.add_argument("--first", type=int, metavar="N", help="only the first N targets")
    parser.add_argument("--again", choices=("checks", "mlprof", "oracle", "all"),
                        help="repeat the checks of what was recommended, mlprof's part with them, "
                             "the oracles with the checks, or everything")
    parser.add_argument("--oracle-only", action="store_true", help="leave mlprof out")
    parser.add_argument("--alone", action="store_true",
                        help="check what mlprof recommends, and leave the other recommenders to a "
                             "later run without this")
    parser.add_argument("--steady", type=int, metavar="MINUTES",
                        help="wait so long before each target for the host to be as fast as it was "
                             "at its fastest, and leave the target to another run where it is not; "
                             "what the host was is kept with the checks")
    parser.add_argument("--runs", type=int, default=3, metavar="N",
                        help="fresh containers at each recommended limit (default 3)")
    parser.add_argument("--budget-seconds", type=int, metavar="S",
                        help="a hard end of each profile (default: mlprof's own budget, to which "
                             "it adds starts)")
    parser.add_argument("--keep", nargs="?", const=kept.FOLDER, type=pathlib.Path, metavar="DIR",
                        help="keep what was measured in measured/, to be committed; in DIR what "
                             "is to stand beside the rows of another build")
    parser.add_argument("--list", action="store_true",
                        help="list the targets, what was planted in them and what is known")
    parser.add_argument("--report", action="store_true",
                        help="write the table and the plot of what is known into docs/, run "
                             "nothing")
    parser.add_argument("--of", metavar="COMMIT",
                        help="report the rows of this build alone, on whichever kind of machine "
                             "they were measured")
    parser.add_argument("-o", "--output", choices=("table", "json"), default="table",
                        help="of the summary at the end")
    return parser.parse_args()


def chosen(options):
    known = {target.name: target for target in targets.ALL}
    unknown = [name for name in options.only or () if name not in known]
    if unknown:
        sys.exit(f"truth: no such target: {', '.join(unknown)}")
    picked = [known[name] for name in options.only] if options.only else list(targets.ALL)
    return picked[:options.first]


def judge(target, options, profiler):
    """All of one target, as far as it is not yet known."""
    results = Results(options.results, target)
    entry = kept.find(target)
    results.resume(entry, build.commit(), options.budget_seconds)
    results.forget(*{"checks": ("checks",), "mlprof": ("profile", "rules", "checks"),
                     "oracle": ("oracle", "checks"),
                     "all": ("profile", "rules", "checks", "oracle")}.get(options.again, ()))
    known = {} if options.again in ("oracle", "all") else entry

    def say(text):
        print(f"{time.strftime('%H:%M:%S')} {target.name}: {text}", file=sys.stderr, flush=True)

    if results.outdated:
        say("what was known is of another target, rule or machine: found anew")
    now = pace.Pace(options.results)
    if options.steady is not None and not now.becomes_steady(options.steady, say):
        say(f"left out: in {options.steady} minutes the host was not as fast as at its best")
        return
    folder = (compiled if target.compiled else place).Folder(options.results, target)
    folder.make(lambda: place.training_python(options.results))
    if not options.oracle_only:
        profile = results.once("profile", lambda: profiler().profile(folder,
                                                                     options.budget_seconds))
        say(f"mlprof: {judgement.told(profile)}")
    image = results.values.get("profile", {}).get("image")
    if target.model and image is None:
        say("left out: its environment is made by a profile, and there is none")
        return
    here = folder.place(image)
    true = results.once("oracle", lambda: known.get("oracle") or oracle.find(here, target, say))
    if not endurance.is_known(target, true):
        true = endurance.prolong(here, target, true, say)
        results.keep("oracle", true)
    say(true["error"] if "error" in true else oracle.told(true))
    for sentence in needs.violations(target, results.values):
        say(f"VIOLATED: {sentence}")
    if options.keep:
        kept.keep(target, results.values, options.keep)
    if "error" in true or options.oracle_only:
        return
    answers = results.once("rules", lambda: rules.answers(profile))
    known = results.values.get("checks", {})
    mlprofs, others = checks.lacking(known, {} if options.alone else answers)
    if mlprofs or others:
        before = now.now()
        found = checks.check_all(here, target, profile if mlprofs else {}, others, options.runs,
                                 say)
        after = now.now()
        for check in found.values():
            check["hostPace"] = [round(before, 2), round(after, 2)]
        results.keep("checks", checks.by_this_rule(known) | found)
    if options.keep:
        kept.keep(target, results.values, options.keep)


def run_all(options):
    for container in engine.leftovers():
        engine.remove(container)
    neighbour.remove_leftovers()
    place.make_image()
    started = []

    def profiler():
        if not started:
            started.append(profiled.Profiler(options.results).__enter__())
        return started[0]

    failed = []
    try:
        for target in chosen(options):
            try:
                judge(target, options, profiler)
            except (engine.EngineError, OSError, RuntimeError, ValueError) as error:
                failed.append(target.name)
                print(f"{target.name}: {error}", file=sys.stderr)
    finally:
        for one in started:
            one.__exit__()
    return failed


def line_of(target, values):
    """What is planted in a target, and how far it is known."""
    planted = []
    if target.need_cpu:
        planted.append(f"{judgement.between(*target.need_cpu)} cores")
    if target.need_memory_mib:
        planted.append(f"{judgement.between(*target.need_memory_mib)} MiB")
    if not target.answerable:
        planted.append("no limit holds")
    done = ", ".join(key for key in ("oracle", "profile", "checks") if key in values)
    return (f"{target.name:22} {target.about}"
            f"{'; planted: ' if planted else ''}{', '.join(planted)}"
            f"{f'  [{done}]' if done else ''}")


def violations_of(options):
    return [sentence for target in chosen(options)
            for sentence in needs.violations(target, Results(options.results, target).values)]


def main():
    options = parse()
    if options.list:
        for target in targets.ALL:
            print(line_of(target, Results(options.results, target).values))
        return 0
    if options.report:
        report.write(options.results, ROOT / "docs", options.of)
        return 0
    # Ended from outside, it still removes its container and ends its server.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    failed = run_all(options)
    total = summary.of(report.load(options.results))
    print(json.dumps(total, indent=1) if options.output == "json" else summary.text(total))
    violated = violations_of(options)
    for sentence in violated:
        print(f"VIOLATED: {sentence}", file=sys.stderr)
    return 1 if failed or violated else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except json_file.Unreadable as unreadable:
        sys.exit(f"truth: {unreadable}")
