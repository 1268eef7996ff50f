"""Other work on a node, beside a container in its parent cgroup: as many busy threads as there are
cores, with the weight of a request."""

import pathlib
import subprocess

import kernel

BUSY = "while :; do :; done"
NAME = "mlprof-truth-neighbour"


class Neighbour:
    """Busy while the with statement lasts. `cores` that it is sure of."""

    def __init__(self, beside, cores, threads):
        controller = "cpu" if beside.v1 else ""
        path = pathlib.Path(beside.paths[controller])
        self.folder = kernel.ROOT / controller / path.parent / NAME
        self.v1, self.cores, self.threads = beside.v1, cores, threads
        self.children = []

    def __enter__(self):
        self.folder.mkdir(exist_ok=True)
        shares = max(2, round(self.cores * 1024))
        if self.v1:
            (self.folder / "cpu.shares").write_text(str(shares))
        else:
            # As the kubelet makes weights of shares.
            (self.folder / "cpu.weight").write_text(str(1 + (shares - 2) * 9999 // 262142))
        for _ in range(self.threads):
            child = subprocess.Popen(["sh", "-c", BUSY])
            self.children.append(child)
            (self.folder / "cgroup.procs").write_text(str(child.pid))
        return self

    def __exit__(self, *_):
        for child in self.children:
            child.kill()
            child.wait()
        self.folder.rmdir()
