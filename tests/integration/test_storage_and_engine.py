"""The data directory is full, or the engine is away: what was accepted is kept."""

import os
import pathlib
import subprocess
import tempfile
import threading
import time
import unittest

import target
from engine_proxy import EngineProxy
from server import FINISHED, Refused, Server, containers

NOT_YET = "its end could not be recorded yet"
NO_ROOM = "waiting for room: the disk of "
WAITS = "waiting for the Docker engine"


class StorageAndEngineTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        target.make_image()

    @classmethod
    def tearDownClass(cls):
        target.remove_image()

    def start(self, **how):
        self.server = Server(**how).start()
        self.addCleanup(self.server.close)
        self.model = self.server.register_model("weights", target.model_tar())
        self.rows = self.server.register_rows("rows", target.rows("burn=10", 20))

    def accept(self, name):
        self.server.profile(name, self.model, self.rows, target.config("--start-ms", "200"))

    def wait_for_message(self, name, words, seconds=60):
        return self.server.wait_until(
            name, lambda p: words in p["progress"]["message"], seconds)

    def wait_for_state(self, name, state, seconds=60):
        """An end that comes before it fails the test."""
        reached = self.server.wait_until(
            name, lambda p: p["state"] == state or p["state"] in FINISHED, seconds)
        self.assertEqual(reached["state"], state, reached["error"])

    def wait_for_run(self, name, seconds):
        reached = self.server.wait_until(name, lambda p: p["state"] != "Queued", seconds)
        self.assertNotIn(reached["state"], FINISHED, reached["error"])

    def ended(self, method, path):
        """Asks it of a profile that was cancelled: true where its end is recorded. That may be at
        any moment of a full disk: the server gives up its reserve for it, and sometimes writes
        before the filler has taken the room."""
        try:
            self.server.call(method, path)
            return method == "DELETE"
        except Refused as refused:
            self.assertIn(refused.status, (404, 409, 503))
            return refused.status == 404 or (refused.status == 409 and method != "DELETE")

    def test_full_data_directory(self):
        """Filled in the midst of a run: the server lives, tells why, and goes on."""
        folder = small_disk(self)
        self.start(data=folder)
        self.accept("p")
        self.accept("next")
        self.wait_for_state("p", "Profiling")
        filler = Filler(folder / "filler")
        self.addCleanup(filler.stop)
        os.truncate(self.server.data / "reserve", 0)  # or its end finds room there
        told = self.server.wait_until(
            "p", lambda p: any(words in p["progress"]["message"] for words in (NOT_YET, NO_ROOM)),
            60)["progress"]["message"]
        self.assertRegex(told, "full" if NOT_YET in told else r"has \d+ \w+ free and \d+ MiB are")
        lines = self.server.log.read_bytes().count(b"\n")
        for _ in range(3):
            if self.ended("POST", "/profiles/p/cancel"):
                break
            self.server.get("/healthz")
            if self.ended("DELETE", "/profiles/p"):
                break
            time.sleep(1)  # in which the log must not grow much
        self.assertLess(self.server.log.read_bytes().count(b"\n") - lines, 10)
        filler.stop()
        (folder / "filler").unlink()
        if not self.ended("POST", "/profiles/p/cancel"):
            self.assertEqual(self.server.wait_finished("p", 60)["state"], "Canceled")
        self.ended("DELETE", "/profiles/p")
        with self.assertRaises(Refused) as gone:
            self.server.get("/profiles/p")
        self.assertEqual(gone.exception.status, 404)
        self.wait_for_run("next", 60)
        self.server.call("POST", "/profiles/next/cancel")
        self.assertEqual(self.server.wait_finished("next", 60)["state"], "Canceled")
        self.assertEqual(containers(self.server.instance()), [])

    def test_reserve(self):
        """What ends when the disk is full is recorded all the same, and waits for room."""
        folder = small_disk(self)
        self.start(data=folder)
        self.accept("p")
        self.wait_for_state("p", "Profiling")
        fill(folder / "filler")
        self.wait_for_message("p", NO_ROOM)
        self.assertEqual(self.server.get("/profiles/p")["state"], "Queued")
        (folder / "filler").unlink()
        self.wait_for_run("p", 60)
        self.server.call("POST", "/profiles/p/cancel")
        self.assertEqual(self.server.wait_finished("p", 60)["state"], "Canceled")

    def test_engine_that_comes_goes_and_comes(self):
        folder = tempfile.TemporaryDirectory(prefix="mlprof-it-")
        self.addCleanup(folder.cleanup)
        engine = EngineProxy(f"{folder.name}/engine.sock")
        self.addCleanup(engine.stop)
        self.start(options=["--docker-host", engine.url])
        names = [f"p{i}" for i in range(5)]
        for name in names:
            self.accept(name)
        for name in names:
            self.assertEqual(self.wait_for_message(name, WAITS)["state"], "Queued")
        with self.assertRaises(Refused) as unready:
            self.server.get("/readyz")
        self.assertEqual(unready.exception.status, 503)
        self.assertIn("no Docker daemon listens", unready.exception.problem["detail"])
        self.server.call("POST", "/profiles/p4/cancel")
        self.assertEqual(self.server.get("/profiles/p4")["state"], "Canceled")

        engine.start()
        self.wait_for_run("p0", 30)
        self.wait_for_state("p0", "Starting")
        engine.stop()
        lost = self.wait_for_message("p0", WAITS)
        self.assertEqual(lost["state"], "Queued")
        self.assertEqual([w["code"] for w in lost["warnings"]], ["engineLost"])
        engine.start()
        self.wait_for_run("p0", 30)
        for name in names[:4]:
            self.server.call("POST", f"/profiles/{name}/cancel")
        for name in names[:4]:
            self.assertEqual(self.server.wait_finished(name, 60)["state"], "Canceled")
        began = time.monotonic()
        self.server.stop()
        self.assertLess(time.monotonic() - began, 10)


def small_disk(test):
    """A file system of a few megabytes, for the time of the test."""
    folder = tempfile.mkdtemp(prefix="mlprof-it-")
    test.addCleanup(subprocess.run, ["rmdir", folder], check=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", folder], check=True)
    test.addCleanup(subprocess.run, ["umount", "-l", folder], check=True)
    return pathlib.Path(folder)


def fill(path):
    with open(path, "ab", buffering=0) as filler:
        try:
            while filler.write(bytes(4096)):
                pass
        except OSError:
            pass


class Filler:
    """Takes whatever room there comes to be, until it is stopped."""

    def __init__(self, path):
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(path,))
        self._thread.start()

    def _run(self, path):
        while True:
            fill(path)
            if self._stop.wait(0.001):
                return

    def stop(self):
        self._stop.set()
        self._thread.join()


if __name__ == "__main__":
    unittest.main()
