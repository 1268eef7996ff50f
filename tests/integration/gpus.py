"""Imitated GPUs: a library under the driver's name, and what it says."""

import pathlib
import subprocess
import tempfile

from script_runs import environment
from server import BIN, ROOT

STUB = BIN.parent / "nvml-stub"
GIB = 1 << 30

CARD = {
    "uuid": "GPU-1f0c3a9b-0000-0000-0000-000000000001", "name": "Imitated A100",
    "pci": "00000000:3B:00.0", "memory_total": 16 * GIB, "memory_used": 0,
    "memory_reserved": 512 << 20, "busy": 0, "memory_busy": 0, "power": 61500, "energy": 900500,
    "sm_clock": 1410, "memory_clock": 1215, "temperature": 41, "clock_reasons": 1,
}


class Machine:
    """A machine with these devices, as the library tells of it until say() changes that."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="mlprof-gpus-")
        self.file = pathlib.Path(self.folder.name) / "state"

    def say(self, *devices, **general):
        lines = [f"{key} = {value}" for key, value in general.items()]
        for device in devices:
            lines.append("[part]" if device.get("part") else "[device]")
            lines += [f"{key} = {value}" for key, value in device.items() if key != "part"]
        # In one step, so that no reader meets half of it.
        new = self.file.with_suffix(".new")
        new.write_text("\n".join(lines) + "\n")
        new.rename(self.file)

    def no_driver(self):
        self.file.unlink(missing_ok=True)

    def environment(self):
        return {"LD_LIBRARY_PATH": str(STUB), "MLPROF_NVML_STUB": str(self.file)}

    def prefix(self):
        """The words before a command that is to find this machine's devices."""
        return ["env", *(f"{key}={value}" for key, value in self.environment().items())]

    def close(self):
        self.folder.cleanup()


def second_reader():
    """A Python with NVIDIA's own reader of the library, or None where that cannot be had."""
    try:
        return environment(ROOT / "build/nvml-venv", ["nvidia-ml-py"], "nvidia-ml-py")
    except (subprocess.CalledProcessError, OSError):
        return None
