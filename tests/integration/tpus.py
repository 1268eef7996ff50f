"""Imitated TPU chips: a PCI bus and device files, which only what runs behind prefix() sees, and a
metric service as libtpu's."""

import pathlib
import subprocess
import tempfile

from script_runs import environment
from server import BIN, ROOT

TPU_INFO = "tpu-info==0.14.2"
VENDOR = "0x1ae0"
V5E, V4, V7X = "0x0063", "0x005e", "0x0076"
# Its own /dev, so that what the test makes there is gone with it.
OWN_DEV = """
set -e
mount --bind "$1/pci" /sys/bus/pci
mkdir -p "$1/old-dev"
mount --bind /dev "$1/old-dev"
mount -t tmpfs none /dev
for name in null zero full random urandom; do
  touch "/dev/$name"
  mount --bind "$1/old-dev/$name" "/dev/$name"
done
mkdir -p /dev/shm /dev/vfio
cp -R "$1/files/." /dev/
shift
exec "$@"
"""
# It ends at a process whose descriptors it may not read.
OWN_PROC = ["unshare", "-p", "-f", "--mount-proc"]
PCI_ALONE = 'set -e; mount --bind "$1/pci" /sys/bus/pci; shift; exec "$@"'


def may_unshare():
    return subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode == 0


def google_chips_here():
    """Of this machine itself, which a test must not touch."""
    vendors = pathlib.Path("/sys/bus/pci/devices").glob("*/vendor")
    return any(v.read_text().strip() == VENDOR for v in vendors)


class Machine:
    """A machine with chips, as add() puts them there."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="mlprof-tpus-")
        self.root = pathlib.Path(self.folder.name)
        (self.root / "pci/devices").mkdir(parents=True)
        (self.root / "files/vfio").mkdir(parents=True)
        self.values = self.root / "values"

    def add(self, address, device, group, subsystem="0x0000"):
        folder = self.root / "pci/devices" / address
        folder.mkdir()
        for name, value in (("vendor", VENDOR), ("device", device),
                            ("subsystem_device", subsystem)):
            (folder / name).write_text(value + "\n")
        (folder / "iommu_group").symlink_to(f"../../../kernel/iommu_groups/{group}")
        (self.root / "files/vfio" / str(group)).touch()
        return self

    def say(self, *values):
        """(metric, device, "int" or "double", value[, "list"]) each."""
        self.values.write_text("\n".join(" ".join(map(str, value)) for value in values) + "\n")

    def serve(self, port=8431):
        """The metric service as a process, listening."""
        process = subprocess.Popen([BIN / "fake-metric-service", str(port), self.values],
                                   stdout=subprocess.PIPE)
        if process.stdout.readline() != b"listening\n":
            process.wait()
            raise AssertionError("the imitated metric service cannot listen")
        return process

    def prefix(self, own_dev=True):
        """The words before a command that is to see these chips."""
        script = OWN_DEV if own_dev else PCI_ALONE
        return ["unshare", "-m", "sh", "-c", script, "sh", str(self.root)]

    def close(self):
        self.folder.cleanup()


def tpu_info():
    """The program, unmodified, or None where it cannot be had."""
    try:
        python = environment(ROOT / "build/tpu-info", [TPU_INFO], TPU_INFO)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired, OSError):
        return None
    return python.parent / "tpu-info"
