"""What the kernel counts of a container and of the host, cgroup v1 and v2."""

import os
import pathlib
import time

ROOT = pathlib.Path("/sys/fs/cgroup")
PAGE = 4096


class Cgroup:
    """The cgroups of a process. A reading of one that is gone is None."""

    def __init__(self, pid):
        self.paths = {}
        for line in pathlib.Path(f"/proc/{pid}/cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            for controller in controllers.split(","):
                self.paths[controller] = path.lstrip("/")
        self.v1 = "memory" in self.paths

    def folder(self, controller):
        return ROOT / controller / self.paths[controller] if self.v1 else ROOT / self.paths[""]

    def _text(self, controller, name):
        try:
            return (self.folder(controller) / name).read_text()
        except OSError:
            return None

    def _field(self, controller, name, field):
        text = self._text(controller, name)
        values = dict(line.split()[:2] for line in text.splitlines()) if text else {}
        return int(values[field]) if field in values else None

    def cpu_seconds(self):
        if self.v1:
            text = self._text("cpuacct", "cpuacct.usage")
            return int(text) / 1e9 if text else None
        used = self._field("cpu", "cpu.stat", "usage_usec")
        return None if used is None else used / 1e6

    def oom_kills(self):
        if self.v1:
            return self._field("memory", "memory.oom_control", "oom_kill")
        return self._field("memory", "memory.events", "oom_kill")

    def throttled_seconds(self):
        """For how long its threads had to wait for the next period of the quota."""
        if self.v1:
            spent = self._field("cpu", "cpu.stat", "throttled_time")
            return None if spent is None else spent / 1e9
        spent = self._field("cpu", "cpu.stat", "throttled_usec")
        return None if spent is None else spent / 1e6

    def cpu_by_process(self):
        """{pid: CPU seconds} of the processes there are now."""
        text = self._text("memory" if self.v1 else "", "cgroup.procs") or ""
        found = {}
        for pid in map(int, text.split()):
            try:
                found[pid] = time.clock_gettime((~pid << 3) | 2)  # see clock_getcpuclockid(3)
            except OSError:
                pass  # it has ended
        return found

    def pages_read_back(self):
        """File pages that were given up for others and then wanted again."""
        for name in ("workingset_refault_file", "workingset_refault"):  # the one before Linux 5.9
            total = f"total_{name}" if self.v1 else name
            count = self._field("memory", "memory.stat", total)
            if count is not None:
                return count
        return None

    def peak_bytes(self):
        """The most memory ever charged, page cache included."""
        text = self._text("memory", "memory.max_usage_in_bytes" if self.v1 else "memory.peak")
        return int(text) if text else None


def host_busy_seconds():
    """CPU time of all cores so far that was not idle, what the hypervisor took included."""
    fields = pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]
    user, nice, system, _idle, _iowait, irq, softirq, steal = map(int, fields)
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def drop_pages(folder):
    """Drops the pages of the files below a folder, so that the next reader pays for them."""
    for path in sorted(pathlib.Path(folder).rglob("*")):
        if path.is_symlink() or not path.is_file():
            continue
        file = os.open(path, os.O_RDONLY)
        try:
            os.fsync(file)  # pages yet to be written stay
            os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
        finally:
            os.close(file)
