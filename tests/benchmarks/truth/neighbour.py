"""Other work on a node, beside a container in its parent cgroup: as many busy threads as there are
cores, with the weight of a request."""

import contextlib
import os
import pathlib
import signal
import subprocess
import time

import kernel

# Busy as long as $0 is its parent: it ends with the benchmark, however that ends. The kernel gives
# an orphan another parent at once.
BUSY = """
while read -r _ _ _ parent _ < /proc/$$/stat && [ "$parent" = "$0" ]; do
  i=0
  while [ $i -lt 100000 ]; do i=$((i + 1)); done
done
"""
NAME = "mlprof-truth-neighbour"
EMPTY_LIMIT_S = 5.0
# The kernel's bounds of a weight.
SHARES = ("cpu.shares", 2, 262_144)
WEIGHT = ("cpu.weight", 1, 10_000)


class Neighbour:
    """Busy while the with statement lasts. `share`: how many times the container's part of the CPU
    it is sure of."""

    def __init__(self, beside, share, threads):
        container = beside.folder("cpu")
        name, least, most = SHARES if beside.v1 else WEIGHT
        # From the container's own: runtimes differ in how they make weights of cores.
        own = int((container / name).read_text())
        self.weight = min(max(round(own * share), least), most)
        self.folder, self.file = container.parent / NAME, name
        self.threads, self.children = threads, []

    def __enter__(self):
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for child in self.children:
            child.kill()
            child.wait()
        _remove(self.folder)

    def _start(self):
        self.folder.mkdir(exist_ok=True)
        (self.folder / self.file).write_text(str(self.weight))
        for _ in range(self.threads):
            child = subprocess.Popen(["sh", "-c", BUSY, str(os.getpid())])
            self.children.append(child)
            (self.folder / "cgroup.procs").write_text(str(child.pid))


def remove_leftovers(root=kernel.ROOT):
    """Of a benchmark that was interrupted."""
    for parent, folders, _ in os.walk(root):
        if NAME in folders:
            folder = pathlib.Path(parent) / NAME
            for pid in (folder / "cgroup.procs").read_text().split():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(pid), signal.SIGKILL)
            _remove(folder)


def _remove(folder):
    """A cgroup can go a moment after its last process."""
    deadline = time.monotonic() + EMPTY_LIMIT_S
    while folder.exists():
        try:
            folder.rmdir()
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
