"""Which mlprof is measured."""

import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[3]
# The benchmark writes these itself: they say nothing of the programs.
WRITTEN = ("tests/benchmarks/truth/measured", "docs/MEASUREMENT.md", "docs/truth.svg")


def commit(root=ROOT):
    """Of the programs, as far as they were built from what lies there; "" where git does not
    know."""
    try:
        described = _git(root, "describe", "--always")
        changed = _git(root, "diff", "--quiet", "HEAD", "--", ".",
                       *(f":(exclude){path}" for path in WRITTEN))
    except OSError:
        return ""
    if described.returncode:
        return ""
    return described.stdout.decode().strip() + ("-dirty" if changed.returncode else "")


def _git(root, *words):
    return subprocess.run(["git", *words], cwd=root, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=False)
