"""Adds up the cases in a ctest JUnit file: count_cases.py FILE prints "PASSED FAILED".

One ctest test is a whole program: GoogleTest or Python unittest. Their own summaries are read from
its output; a program that failed without naming a failed case (it crashed, it ran out of time)
counts as one failure. With --failures the failed programs' output is printed instead, its end only;
with --names their names.
"""

import re
import sys
import xml.etree.ElementTree

SHOWN_LINES = 60


def cases(test):
    """(passed, failed) of one <testcase>."""
    output = test.findtext("system-out") or ""
    passed = sum(map(int, re.findall(r"^\[  PASSED  \] (\d+) test", output, re.M)))
    failed = sum(map(int, re.findall(r"^\[  FAILED  \] (\d+) tests?, listed below", output, re.M)))
    for ran, verdict in re.findall(r"^Ran (\d+) tests? in .*\n\n(.*)", output, re.M):
        bad = sum(map(int, re.findall(r"(?:failures|errors)=(\d+)", verdict)))
        skipped = sum(map(int, re.findall(r"skipped=(\d+)", verdict)))
        passed += max(0, int(ran) - bad - skipped)  # a class that cannot be set up ran no test
        failed += bad
    if test.get("status") == "fail" and failed == 0:
        failed = 1
    if passed + failed == 0 and test.get("status") == "run":
        passed = 1
    return passed, failed


def what_failed(output):
    """The lines of GoogleTest's failed cases; all lines where there are none such."""
    cases = re.findall(r"^\[ RUN      \] .*\n(?:(?!\[  ).*\n)*\[  FAILED  \] .*", output, re.M)
    return "\n".join(cases).split("\n") if cases else output.rstrip().split("\n")


def show_failure(test):
    output = test.findtext("system-out") or ""
    print(f"--- {test.get('name')}, after {float(test.get('time', 0)):.0f} s",
          *what_failed(output)[-SHOWN_LINES:], sep="\n")
    if not re.search(r"^(\[  FAILED|FAILED \()", output, re.M):
        print("(no case of it failed: it crashed, or ran out of time, which it does too while a process "
              "that it left behind holds its output)")


def main():
    arguments = sys.argv[1:]
    show = "--failures" in arguments or "--names" in arguments
    try:
        tests = list(xml.etree.ElementTree.parse(arguments[-1]).getroot().iter("testcase"))
    except (OSError, xml.etree.ElementTree.ParseError) as error:
        print(f"no results: {error}" if show else "0 1")
        return
    if show:
        for test in tests:
            if not cases(test)[1]:
                continue
            if "--names" in arguments:
                print(test.get("name"))
            else:
                show_failure(test)
        return
    sums = [cases(test) for test in tests]
    print(sum(p for p, _ in sums), sum(f for _, f in sums) if tests else 1)


if __name__ == "__main__":
    main()
