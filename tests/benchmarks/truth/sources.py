"""What an oracle depends on beside a target's own words: the sources of the server that is judged,
and of the replay that loads it.

How limits are sought and judged (oracle.py, probe.py, judgement.py and what they import) is not
among them: oracle.RULE is raised where that changes.
"""

import hashlib
import pathlib

TESTS = pathlib.Path(__file__).resolve().parents[2]
TRUTH = "benchmarks/truth"
REPLAY = ("replay*.cc", "replay*.h", "load*", "http_connection*", "place.py")
PLANTED = ("target_server.cc", "target/*.cc", "target/*.h", "make-image")
WRITES_ROWS = "write_rows.py"


def of_model(model):
    """The files that make a real model and serve it."""
    folder = TESTS / TRUTH / "models"
    files = _files(folder / model, ("*",))
    if any("write_rows" in file.read_text(encoding="utf-8") for file in files):
        files.append(folder / WRITES_ROWS)
    return files


def of_target(target):
    own = of_model(target.model) if target.model else _files(TESTS / "targets", PLANTED)
    return own + _files(TESTS / TRUTH, REPLAY)


def digest(files):
    """Of their names and contents."""
    found = hashlib.sha256()
    for file in files:
        content = file.read_bytes()
        found.update(f"{file.relative_to(TESTS)} {len(content)}\n".encode())
        found.update(content)
    return found.hexdigest()[:16]


def _files(folder, patterns):
    return sorted({file for pattern in patterns for file in folder.glob(pattern)
                   if file.is_file()})
