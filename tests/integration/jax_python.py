"""A Python with JAX and XProf of the versions that the tests speak of."""

import fcntl
import subprocess
import sys

from server import ROOT

XPROF, JAX = "xprof==2.24.2", "jax==0.10.2"
INSTALL_S = 900


def python_with_xprof():
    """Made once, whoever asks first; None where they cannot be installed."""
    (ROOT / "build").mkdir(exist_ok=True)
    with open(ROOT / "build/xprof-venv.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return made_python()


def made_python():
    folder = ROOT / "build/xprof-venv"
    python = folder / "bin/python"
    check = [str(python), "-c", "import jax, xprof.convert"]
    if python.exists() and subprocess.run(check, capture_output=True).returncode == 0:
        return python
    install = [str(python), "-m", "pip", "install", "-q", "--retries", "2", "--timeout", "30",
               XPROF, JAX]
    try:
        for command in ([sys.executable, "-m", "venv", str(folder)], install):
            if subprocess.run(command, capture_output=True, timeout=INSTALL_S).returncode != 0:
                return None
    except subprocess.TimeoutExpired:
        return None
    return python
