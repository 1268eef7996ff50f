"""An engine of the test's own is killed, or restarted in order, under a running profile: what that
does to its containers is no verdict on the model."""

import contextlib
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

import target
from server import FINISHED, Server


SLOW = "mlprof-test/slow-python:1"
INSTALLING = "this takes an hour"


class Engine:
    """A dockerd beside the machine's, in a network namespace of its own: without a bridge it removes
    the one it finds."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="mlprof-it-"))
        self.host = f"unix://{self.folder}/d.sock"
        self.process = None

    def start(self):
        for stale in ("pid", "exec/containerd/containerd.pid"):
            with contextlib.suppress(FileNotFoundError):
                (self.folder / stale).unlink()
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                ["unshare", "--net", "dockerd", "--host", self.host, "--data-root", self.folder / "root",
                 "--exec-root", self.folder / "exec", "-p", self.folder / "pid",
                 "--bridge=none", "--iptables=false"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        deadline = time.monotonic() + 60
        while subprocess.run(["docker", "--host", self.host, "version"], stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL, check=False).returncode:
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise AssertionError("no engine:\n" + (self.folder / "log").read_text()[-2000:])
            time.sleep(0.1)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        self.process.terminate()
        self.process.wait(30)

    def remove(self):
        if self.process.poll() is None:
            self.stop()
        mounts = pathlib.Path("/proc/mounts").read_text().split("\n")
        for mount in reversed([line.split()[1] for line in mounts if str(self.folder) in line]):
            subprocess.run(["umount", "-l", mount], check=False)
        shutil.rmtree(self.folder)


class EngineRestartTest(unittest.TestCase):
    def setUp(self):
        self.engine = Engine()
        self.addCleanup(self.engine.remove)
        self.engine.start()
        before = os.environ.get("DOCKER_HOST")
        self.addCleanup(set_docker_host, before)
        set_docker_host(self.engine.host)
        target.make_image()
        self.server = Server(options=["--docker-host", self.engine.host]).start()
        self.addCleanup(self.server.close)

    def test_restart_under_a_run(self):
        model = self.server.register_model("weights", target.model_tar())
        rows = self.server.register_rows("rows", target.rows("burn=10", 20))
        self.server.profile("p", model, rows, target.config("--start-ms", "200"))
        for times, end in enumerate((self.engine.kill, self.engine.stop), start=1):
            self.wait_for_run(lambda p: p["state"] == "Profiling")
            end()
            self.engine.start()
            self.wait_for_run(lambda p, t=times: lost(p) == t)
        self.server.call("POST", "/profiles/p/cancel")
        self.assertEqual(self.server.wait_finished("p", 60)["state"], "Canceled")

    def test_a_container_is_stopped_by_hand(self):
        model = self.server.register_model("weights", target.model_tar())
        rows = self.server.register_rows("rows", target.rows("burn=10", 20))
        self.server.profile("p", model, rows, target.config("--start-ms", "200"))
        self.wait_for_run(lambda p: p["progress"]["phase"] == "warmUp")
        [running] = subprocess.run(["docker", "ps", "-q"], stdout=subprocess.PIPE, check=True,
                                   text=True).stdout.split()
        subprocess.run(["docker", "stop", "--time", "1", running], stdout=subprocess.DEVNULL,
                       check=True)
        self.wait_for_run(lambda p: lost(p) == 1)
        profile = self.server.get("/profiles/p")
        self.assertIn("signal 15 from outside", str(profile["warnings"]))
        self.server.call("POST", "/profiles/p/cancel")
        self.assertEqual(self.server.wait_finished("p", 60)["state"], "Canceled")

    def test_restart_while_packages_are_installed(self):
        make_slow_image()
        model = self.server.register_model("weights", target.model_tar())
        rows = self.server.register_rows("rows", ["1", "2"])
        source = self.server.call("POST", "/sources", target.model_tar((("score.py", b""),)),
                                  "application/x-tar")["id"]
        self.server.profile("p", model, rows, {
            "entryScript": "score.py", "sourceId": source,
            "environment": {"docker": {"baseImage": SLOW}, "python": {"pipPackages": ["numpy"]}}})
        for times, end in enumerate((self.engine.kill, self.engine.stop), start=1):
            self.wait_for_run(lambda p: INSTALLING in self.server.get("/profiles/p/logs").split(
                "packages and what they need")[-1] and p["state"] == "Preparing")
            end()
            self.engine.start()
            self.wait_for_run(lambda p, t=times: lost(p) == t)
        self.server.call("POST", "/profiles/p/cancel")
        self.assertEqual(self.server.wait_finished("p", 60)["state"], "Canceled")

    def wait_for_run(self, condition):
        profile = self.server.wait_until(
            "p", lambda p: condition(p) or p["state"] in FINISHED, 30)
        self.assertNotIn(profile["state"], FINISHED,
                         f"{profile['error']}, {profile['warnings']}\n{self.server.tail()}")


def make_slow_image():
    """Its Python is found, and installs for an hour."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder) / "root"
        for name in ("bin", "tmp", "proc"):
            (root / name).mkdir(parents=True)
        shutil.copy("/bin/busybox", root / "bin/busybox")
        for applet in ("sh", "sleep", "echo", "cat", "env", "mkdir", "rm", "printf"):
            (root / "bin" / applet).symlink_to("busybox")
        python = root / "bin/python3"
        python.write_text(f"#!/bin/sh\necho {INSTALLING} >&2\nsleep 3600\n")
        python.chmod(0o755)
        tar = pathlib.Path(folder) / "image.tar"
        subprocess.run(["tar", "-C", root, "--owner=0", "--group=0", "-cf", tar, "."], check=True)
        subprocess.run(["docker", "import", "--change", "ENV PATH=/bin", tar, SLOW],
                       stdout=subprocess.DEVNULL, check=True)


def lost(profile):
    return [warning["code"] for warning in profile["warnings"]].count("engineLost")


def set_docker_host(host):
    if host is None:
        os.environ.pop("DOCKER_HOST", None)
    else:
        os.environ["DOCKER_HOST"] = host


if __name__ == "__main__":
    unittest.main()
