"""Models and packages that write without end: the host's disk stays as it is, and the end is told."""

import os
import pathlib
import re
import subprocess
import tempfile
import threading
import time
import unittest

import target
from checks import check_failed
from server import ROOT, Server, containers

IMAGE = "mlprof-test/flood:1"
BASE = "mlprof-test/flooding-python:1"
LIMIT_GB = "0.125"
LIMIT = 128 << 20
# Of the file that holds a container's file system, beyond what fits into it.
SLACK = 4 << 20
PYTHON = """#!/bin/sh
if [ "$1" = -c ]; then echo 3.11.2; exit; fi
dd if=/dev/zero of=/var/outside bs=1M count=64
dd if=/dev/zero of=/data/f bs=1M count=300 && echo escaped to a volume
rm /data/f
exec 3> /opt/mlprof/venv/f
rm /opt/mlprof/venv/f
dd if=/dev/zero bs=1M count=4096 >&3
exit 1
"""


def make_images():
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "flood"
        subprocess.run(["c++", "-std=c++20", "-O2", "-static", "-s", "-o", program,
                        ROOT / "tests/targets/disk_flood.cc"], check=True)
        subprocess.run([ROOT / "tests/targets/make-image", IMAGE, program, "/var"],
                       stdout=subprocess.DEVNULL, check=True)
        root = pathlib.Path(folder) / "root"
        for name in ("bin", "usr/bin", "tmp", "var"):
            (root / name).mkdir(parents=True)
        subprocess.run(f'cp "$(command -v busybox)" {root}/bin/busybox', shell=True, check=True)
        for name in ("sh", "dd", "rm", "sleep"):
            (root / "bin" / name).symlink_to("busybox")
        (root / "usr/bin/python3").write_text(PYTHON)
        (root / "usr/bin/python3").chmod(0o755)
        subprocess.run(f"tar -C {root} -c . | docker import -c 'VOLUME /data' - {BASE}", shell=True, check=True,
                       stdout=subprocess.DEVNULL)


class Images:
    """Looks all the time at how much the files take that hold containers' file systems."""

    def __init__(self, data):
        self.largest = 0
        self.seen = False
        self._folder = data / "scratch"
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self):
        while not self._stop.wait(0.02):
            for image in self._folder.glob("*/volume.img"):
                try:
                    self.largest = max(self.largest, os.stat(image).st_blocks * 512)
                    self.seen = True
                except FileNotFoundError:
                    pass

    def stop(self):
        self._stop.set()
        self._thread.join()
        return self


def left_behind(data):
    """Mounts, loop devices and folders of containers below a data directory."""
    mounts = pathlib.Path("/proc/self/mountinfo").read_text().split("\n")
    left = [line for line in mounts if str(data) in line]
    for device in pathlib.Path("/sys/block").glob("loop*/loop/backing_file"):
        try:
            backing = device.read_text().strip()
        except OSError:
            continue
        if backing.startswith(str(data)) and not backing.endswith("(deleted)"):
            left.append(backing)
    return left + [str(path) for path in (data / "scratch").glob("*")]


class DiskBoundsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        make_images()
        cls.server = Server(options=["--scratch-limit-gb", LIMIT_GB]).start()
        cls.model = cls.server.register_model("weights", target.model_tar())
        cls.rows = cls.server.register_rows("rows", ["a", "b"])

    @classmethod
    def tearDownClass(cls):
        cls.server.close()
        for image in (IMAGE, BASE):
            subprocess.run(["docker", "rmi", "-f", image], stdout=subprocess.DEVNULL, check=False)

    def flood(self, name, mode, folder="/tmp", **more):
        """(the finished profile's error, what the images took at most)"""
        images = Images(self.server.data)
        try:
            config = target.config(mode, folder, image=IMAGE, **more)
            self.server.profile(name, self.model, self.rows, config)
            profile = self.server.wait_finished(name)
        finally:
            images.stop()
        self.assertTrue(images.seen, "no file system of its own was made")
        self.assertEqual(left_behind(self.server.data), [])
        self.assertEqual(containers(self.server.instance()), [])
        return check_failed(self, profile, "DiskFull"), images.largest

    def test_a_file_that_no_folder_holds_takes_no_more_than_the_limit(self):
        error, largest = self.flood("unlinked", "unlinked")
        self.assertLessEqual(largest, LIMIT + SLACK)
        # It gives the room back as it dies: the watch or its log tells of it, and of the bound.
        self.assertRegex(error["message"], r"\(/tmp, HOME, writablePaths\) .*128 MiB")
        self.assertIn("No space left on device", error["evidence"])

    def test_a_file_below_a_path_too_long_to_name_takes_no_more_than_the_limit(self):
        error, largest = self.flood("deep", "deep")
        self.assertLessEqual(largest, LIMIT + SLACK)
        self.assertIn("were full: 128 MiB", error["message"])

    def test_a_million_files_are_not_to_be_had(self):
        error, largest = self.flood("files", "files")
        self.assertLessEqual(largest, LIMIT + SLACK)
        self.assertRegex(error["message"], r"were full: \d+ files")

    def test_an_image_whose_volume_holds_more_than_the_limit_is_told_so(self):
        content = "mlprof-test/large-volume:1"
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "data").mkdir()
            for name in "ab":
                (pathlib.Path(folder) / "data" / name).write_bytes(b"x" * (LIMIT * 3 // 4))
            subprocess.run(f"tar -C {folder} -c . | docker import -c 'VOLUME /data' - {content}",
                           shell=True, check=True, stdout=subprocess.DEVNULL)
        self.addCleanup(subprocess.run, ["docker", "rmi", "-f", content], check=False,
                        stdout=subprocess.DEVNULL)
        config = target.config("plain", "/tmp", image=content, command=["/none"])
        self.server.profile("content", self.model, self.rows, config)
        profile = self.server.wait_finished("content")
        self.assertEqual(profile["state"], "Failed", profile)
        self.assertRegex(profile["error"]["message"], r"VOLUMEs .* larger than the 128 MiB")
        self.assertEqual(left_behind(self.server.data), [])

    def test_a_folder_of_the_image_that_becomes_writable_takes_no_more_than_the_limit(self):
        error, largest = self.flood("image", "unlinked", "/var")
        self.assertLessEqual(largest, LIMIT + SLACK)
        self.assertRegex(error["message"], r"\(/tmp, HOME, writablePaths\) .*128 MiB")
        self.assertIn("No space left on device", error["evidence"])
        warnings = self.server.call("GET", "/profiles/image")["warnings"]
        self.assertIn("writes to /var/f,", " ".join(w["message"] for w in warnings))

    def test_packages_that_flood_the_disk_meet_the_limit_and_nothing_else(self):
        source = self.server.call("POST", "/sources", target.model_tar(
            [("score.py", b"def init(): pass\ndef run(data): return data\n")]),
            "application/x-tar")["id"]
        images = Images(self.server.data)
        config = {"entryScript": "score.py", "sourceId": source,
                  "environment": {"docker": {"baseImage": BASE}}}
        try:
            self.server.profile("packages", self.model, self.rows, config)
            profile = self.server.wait_finished("packages")
        finally:
            images.stop()
        self.assertEqual(profile["state"], "Failed", profile)
        message = profile["error"]["message"]
        self.assertRegex(message, r"\(/tmp and the environment\) .*256 MiB")
        self.assertIn("Read-only file system", message)
        self.assertNotIn("escaped", message)
        self.assertLessEqual(images.largest, 2 * LIMIT + SLACK)
        self.assertEqual(left_behind(self.server.data), [])
        self.assertEqual(containers(self.server.instance()), [])

    def test_what_a_killed_server_left_mounted_is_removed_at_the_next_start(self):
        server = Server(options=["--scratch-limit-gb", LIMIT_GB]).start()
        try:
            model = server.register_model("weights", target.model_tar())
            rows = server.register_rows("rows", ["a"])
            server.profile("killed", model, rows,
                           target.config("plain", "/tmp/none", image=IMAGE, command=["/server"]))
            deadline = time.monotonic() + 30
            while not list((server.data / "scratch").glob("*/volume/0")):
                self.assertLess(time.monotonic(), deadline, server.tail())
                time.sleep(0.005)
            server.kill()
            self.assertNotEqual(left_behind(server.data), [])
            server.start()
            server.wait_finished("killed")
            self.assertEqual(left_behind(server.data), [])
        finally:
            server.close()


class SmallDiskTest(unittest.TestCase):
    """The server's data lies on a disk of its own, of 256 MiB, which others fill."""

    def setUp(self):
        target.make_image()
        self.addCleanup(target.remove_image)
        folder = tempfile.TemporaryDirectory(prefix="mlprof-it-disk-")
        self.addCleanup(folder.cleanup)
        self.disk = pathlib.Path(folder.name)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256m", "none", self.disk], check=True)
        self.addCleanup(subprocess.run, ["umount", "-l", self.disk], check=True)
        self.server = Server(data=self.disk, options=["--scratch-limit-gb", LIMIT_GB]).start()
        self.addCleanup(self.server.close)

    def fill(self, left):
        with open(self.disk / "others", "wb") as others:
            disk = os.statvfs(self.disk)
            os.posix_fallocate(others.fileno(), 0, disk.f_bavail * disk.f_frsize - left)

    def test_a_model_is_ended_before_the_disk_is_full_and_none_is_begun_then(self):
        model = self.server.register_model("weights", target.model_tar())
        rows = self.server.register_rows("rows", target.rows("burn=2"))
        self.server.profile("running", model, rows, target.config())
        self.server.wait_until("running", lambda p: (p.get("progress") or {}).get("phase") == "rows")
        self.fill(left=20 << 20)
        error = check_failed(self, self.server.wait_finished("running"), "DiskFull")
        self.assertRegex(error["message"], r"the disk of \S+ was running full \(\S+ MiB were left")

        self.server.profile("waits", model, rows, target.config())
        waiting = r"waiting for room: the disk of \S+ has \S+ MiB free and 51 MiB are needed"
        waits = self.server.wait_until(
            "waits", lambda p: re.match(waiting, p["progress"]["message"]), 20)
        self.assertEqual(waits["state"], "Queued")

        (self.disk / "others").unlink()
        self.server.wait_until("waits", lambda p: (p.get("progress") or {}).get("phase") == "rows")
        self.server.call("POST", "/profiles/waits/cancel")
        self.server.wait_finished("waits")
        self.assertEqual(left_behind(self.server.data)[1:], [])


if __name__ == "__main__":
    unittest.main()
