"""v1 scripts as processes of their own: their environment, their folder, their last line."""

import fcntl
import json
import os
import pathlib
import shutil
import subprocess
import sys

from server import BIN

SCRIPTS = pathlib.Path(__file__).resolve().parent / "azure"
SUBSCRIPTION, GROUP, NAME = "11111111-2222-4333-8444-555555555555", "group", "workspace"
WORKSPACE = f"{SUBSCRIPTION}/{GROUP}/{NAME}"
# Of a profile; the scripts cannot say one.
BUDGET_S = 30
INSTALL_DEADLINE_S = 1500
SCRIPT_DEADLINE_S = 400


def environment(folder, packages, stamp):
    """The Python of a virtual environment with these packages, made anew when `stamp` changes."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with open(folder.with_suffix(".lock"), "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        made = folder / "made-of"
        if not made.exists() or made.read_text() != stamp:
            shutil.rmtree(folder, ignore_errors=True)
            subprocess.run([sys.executable, "-m", "venv", folder], check=True)
            subprocess.run([folder / "bin/python", "-m", "pip", "install", "-q",
                            "--disable-pip-version-check", *packages],
                           check=True, timeout=INSTALL_DEADLINE_S)
            made.write_text(stamp)
    return folder / "bin/python"


def prepare(folder):
    """What the scripts expect to lie around them."""
    shutil.copytree(SCRIPTS / "src", folder / "src")
    (folder / "weights.json").write_text('{"weight": 3}')
    (folder / "config.json").write_text(json.dumps(
        {"subscription_id": SUBSCRIPTION, "resource_group": GROUP, "workspace_name": NAME}))
    with open(folder / "big.bin", "wb") as big:
        big.truncate(100 << 20)  # more than goes in one piece
        big.seek(70 << 20)
        big.write(b"in the middle")


def home_of(folder, server):
    """Variables of a user who has nothing yet."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("MLPROF_")}
    return {**kept, "HOME": str(folder), "XDG_CONFIG_HOME": str(folder / "config"),
            "XDG_DATA_HOME": str(folder / "data"), "AZURE_CONFIG_DIR": str(folder / "azure"),
            "MLPROF_SERVER": server.url, "PATH": f"{BIN}:{os.environ['PATH']}"}


def result_of(words, folder, variables):
    """Runs a script's command; (what it printed, the document on its last line)."""
    done = subprocess.run(words, cwd=folder, env=variables, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=SCRIPT_DEADLINE_S, check=False)
    text = done.stdout.decode(errors="replace")
    lines = [line for line in text.splitlines() if line.startswith("RESULT ")]
    if done.returncode != 0 or not lines:
        raise AssertionError(f"exit status {done.returncode}:\n{text[-8000:]}")
    return text, json.loads(lines[-1][len("RESULT "):])
