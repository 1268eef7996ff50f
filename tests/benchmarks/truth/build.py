"""Which mlprof is measured."""

import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[3]
# What the programs are made of: they are the same whatever else was committed since.
PROGRAMS = ("agent", "api", "client", "common", "migrations", "server", "CMakeLists.txt",
            "CMakePresets.json")


def commit(root=ROOT):
    """The last that changed the programs, as far as they were built from what lies there; "" where
    git does not know."""
    try:
        last = _git(root, "log", "-1", "--format=%h", "--", *PROGRAMS)
        changed = _git(root, "diff", "--quiet", "HEAD", "--", *PROGRAMS)
    except OSError:
        return ""
    if last.returncode:
        return ""
    return last.stdout.decode().strip() + ("-dirty" if changed.returncode else "")


def _git(root, *words):
    return subprocess.run(["git", *words], cwd=root, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=False)
