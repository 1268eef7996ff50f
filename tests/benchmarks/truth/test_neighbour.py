"""The busy neighbour: its weight, and that nothing of it is left. Folders stand for cgroups."""

import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from unittest import mock

import neighbour
import probe


class FakeCgroup:
    def __init__(self, folder, v1=False):
        self.v1, self.path = v1, folder / "container"
        self.path.mkdir(exist_ok=True)

    def folder(self, _):
        return self.path


class NeighbourTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.parent = pathlib.Path(folder.name)
        self.folder = self.parent / neighbour.NAME
        # Unlike a cgroup, a folder has to be empty to go.
        patch = mock.patch.object(pathlib.Path, "rmdir", shutil.rmtree)
        patch.start()
        self.addCleanup(patch.stop)

    def beside(self, share, threads=1, weight=39, v1=False):
        cgroup = FakeCgroup(self.parent, v1)
        (cgroup.path / ("cpu.shares" if v1 else "cpu.weight")).write_text(f"{weight}\n")
        return neighbour.Neighbour(cgroup, share, threads)

    def test_weighs_so_many_times_the_container(self):
        self.assertEqual(self.beside(3.0).weight, 117)
        self.assertEqual(self.beside(3.0, weight=1024, v1=True).weight, 3072)
        self.assertEqual(self.beside(0.001).weight, 1)
        self.assertEqual(self.beside(1e6).weight, 10_000)

    def test_is_there_while_the_statement_lasts(self):
        with self.beside(3.0, threads=2) as busy:
            self.assertEqual((self.folder / "cpu.weight").read_text(), "117")
            self.assertEqual((self.folder / "cgroup.procs").read_text(), str(busy.children[1].pid))
            self.assertEqual([child.poll() for child in busy.children], [None, None])
        self.assertFalse(self.folder.exists())
        self.assertEqual([child.returncode for child in busy.children], [-9, -9])

    def test_a_start_that_fails_part_way_leaves_nothing(self):
        (self.folder / "cgroup.procs").mkdir(parents=True)
        busy = self.beside(3.0)
        self.assertRaises(OSError, busy.__enter__)
        self.assertFalse(self.folder.exists())
        self.assertEqual([child.returncode for child in busy.children], [-9])

    def test_its_threads_end_with_the_benchmark(self):
        starts = 'sh -c "$BUSY" $$ & echo $!; exec sleep 60'
        parent = subprocess.Popen(["sh", "-c", starts], stdout=subprocess.PIPE,
                                  env={**os.environ, "BUSY": neighbour.BUSY})
        self.addCleanup(parent.stdout.close)
        self.addCleanup(parent.wait)
        self.addCleanup(parent.kill)
        pid = int(parent.stdout.readline())
        self.addCleanup(kill, pid)
        wait_until(lambda: cpu_of(pid) > 0.02)
        parent.kill()
        wait_until(lambda: cpu_of(pid) is None)

    def test_leftovers_of_an_interrupted_benchmark_are_killed(self):
        self.folder.mkdir()
        child = subprocess.Popen(["sleep", "60"])
        gone = subprocess.Popen(["true"])
        gone.wait()
        (self.folder / "cgroup.procs").write_text(f"{gone.pid}\n{child.pid}\n")
        neighbour.remove_leftovers(self.parent)
        self.assertEqual(child.wait(), -9)
        self.assertFalse(self.folder.exists())

    def test_there_is_none_beside_a_container_that_is_gone(self):
        serving = mock.MagicMock(cgroup=None)
        serving.__enter__.return_value = serving
        with mock.patch.object(probe, "Serving", return_value=serving):
            found = probe.beside_neighbour(None, None, 0.5, 1 << 24)
        self.assertIs(found, serving._gone())


def kill(pid):
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def cpu_of(pid):
    """Seconds; None where it has ended."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] == "Z" else int(fields[11]) / os.sysconf("SC_CLK_TCK")


def wait_until(holds, seconds=10):
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            raise AssertionError("not in time")
        time.sleep(0.01)


if __name__ == "__main__":
    unittest.main()
