"""The system gives the server no more threads or descriptors: what could not be had is refused, and
nothing else ends."""

import contextlib
import json
import pathlib
import re
import resource
import socket
import subprocess
import time
import unittest
import urllib.parse

import target
from server import FINISHED, Refused, Server, containers

FIRST_THREADS = 9  # more than the server starts on its own
FEW_DESCRIPTORS = 1024
ANSWER_LIMIT_S = 1
READY_LIMIT_S = 60


def strace(*where, when):
    """The command under which the thread number `when` that a thread makes cannot be made."""
    return ["strace", *where, "-f", "-qq", "-o", "/dev/null", "-e", "trace=clone3",
            "-e", f"inject=clone3:error=EAGAIN:when={when}"]


class ThreadsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        target.make_image()

    @classmethod
    def tearDownClass(cls):
        target.remove_image()

    def test_a_thread_that_cannot_be_made_at_the_start(self):
        refused = [number for number in range(1, FIRST_THREADS + 1)
                   if not self.starts_without(number)]
        self.assertTrue(refused, "no thread was refused")
        self.assertLess(len(refused), FIRST_THREADS, "a worker more or less is no reason")

    def starts_without(self, number):
        server = Server(prefix=strace("-D", when=number))
        self.addCleanup(server.folder.cleanup)
        try:
            server.start()
        except AssertionError:
            self.assertEqual(server.process.wait(10), 1, server.tail())
            said = re.findall(r"^mlprof-server: .*", server.log.read_text(), re.MULTILINE)
            self.assertEqual(len(said), 1, server.tail())
            self.assertRegex(said[0], "Resource temporarily unavailable", server.tail())
            return False
        self.assertEqual(server.get("/healthz"), {"status": "ok"})
        server.stop()
        self.assertEqual(server.process.returncode, 0, server.tail())
        return True

    def test_a_thread_that_cannot_be_made_for_a_profile(self):
        """The queue's thread makes a file system for the container first, then two threads."""
        for when in (2, 3):
            with self.subTest(when=when):
                self.lacks_a_thread(when)

    def lacks_a_thread(self, when):
        server = Server().start()
        self.addCleanup(server.close)
        model = server.register_model("weights", target.model_tar())
        rows = server.register_rows("rows", target.rows("burn=5", 20))
        tracer = subprocess.Popen(strace("-p", str(server.process.pid), when=when))
        try:
            await_tracer(server.process.pid)
            server.profile("without", model, rows, target.config())
            told = server.wait_until("without", has_been_told, 60)
        finally:
            tracer.terminate()
            tracer.wait(10)
        self.assertRegex(json.dumps([told.get("error"), told["warnings"]]), "limit of threads")
        self.assertEqual(server.get("/healthz"), {"status": "ok"})
        if told["state"] not in FINISHED:
            server.call("POST", "/profiles/without/cancel")
            server.wait_finished("without", 60)
        self.assertEqual(containers(server.instance()), [], "containers are left")
        self.runs(server, "after", model, rows)

    def runs(self, server, name, model, rows):
        server.profile(name, model, rows, target.config())
        self.assertEqual(server.wait_until(
            name, lambda p: p["state"] not in ("Queued", "Preparing", "Starting"))["state"],
            "Profiling")
        server.call("POST", f"/profiles/{name}/cancel")
        server.wait_finished(name, 60)


class DescriptorsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        target.make_image()

    @classmethod
    def tearDownClass(cls):
        target.remove_image()

    def setUp(self):
        limits = f"--nofile={FEW_DESCRIPTORS}:{FEW_DESCRIPTORS}"
        self.server = Server(prefix=["prlimit", limits]).start()
        self.addCleanup(self.server.close)
        self.crowd = []
        self.addCleanup(lambda: [client.close() for client in self.crowd])

    def come(self, count, words=b""):
        address = urllib.parse.urlsplit(self.server.url)
        for _ in range(count):
            client = socket.create_connection((address.hostname, address.port), timeout=10)
            self.crowd.append(client)
            with contextlib.suppress(OSError):  # it had to make room already
                client.sendall(words)

    def answers(self):
        """A client that does as it is told, to come again, is answered within the limit."""
        deadline = time.monotonic() + ANSWER_LIMIT_S
        while True:
            try:
                self.assertEqual(self.server.get("/healthz"), {"status": "ok"})
            except Refused as refused:
                self.assertEqual(refused.status, 503)
                self.assertLess(time.monotonic(), deadline)
                continue
            return self.assertLess(time.monotonic(), deadline)

    def await_ready(self):
        """The engine is asked in its own time: until then the server says to come again."""
        deadline = time.monotonic() + READY_LIMIT_S
        while True:
            try:
                return self.assertEqual(self.server.get("/readyz")["status"], "ready")
            except Refused as refused:
                self.assertEqual(refused.status, 503)
                self.assertLess(time.monotonic(), deadline, refused)
                time.sleep(0.1)

    def test_idle_connections_lock_nobody_out(self):
        model = self.server.register_model("weights", target.model_tar())
        rows = self.server.register_rows("rows", target.rows("burn=5", 20))
        for count, words in ((1100, b""), (900, b""), (1000, b"GET /healthz HTTP/1.1\r\nHo")):
            self.come(count, words)
            self.answers()
        self.await_ready()
        self.server.profile("p", model, rows, target.config())
        reached = self.server.wait_until(
            "p", lambda p: p["state"] not in ("Queued", "Preparing", "Starting"))
        self.assertEqual(reached["state"], "Profiling", reached.get("error"))
        self.answers()
        self.server.call("POST", "/profiles/p/cancel")
        self.assertRegex(self.server.get("/metrics"),
                         r'connections_turned_away_total\{reason="idle"\} [1-9]')
        self.assertRegex(self.server.log.read_text(), "the limit of open files leaves fewer")

    def test_readers_of_events_leave_places_for_requests(self):
        model = self.server.register_model("weights", target.model_tar())
        rows = self.server.register_rows("rows", target.rows("burn=5", 20))
        self.server.profile("p", model, rows, target.config())
        host = urllib.parse.urlsplit(self.server.url).netloc.encode()
        self.come(1100, b"GET /profiles/p/events HTTP/1.1\r\nHost: " + host + b"\r\n\r\n")
        self.answers()
        self.server.call("POST", "/profiles/p/cancel")


def has_been_told(profile):
    """It has failed, or is being run again."""
    return profile["state"] in FINISHED | {"Profiling"}


def await_tracer(pid):
    """Until every thread of the process is traced."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        traced = [re.search(r"TracerPid:\s+(\d+)", status.read_text()).group(1) != "0"
                  for status in pathlib.Path(f"/proc/{pid}/task").glob("*/status")]
        if traced and all(traced):
            return
        time.sleep(0.02)
    raise AssertionError("the server is not traced")


if __name__ == "__main__":
    unittest.main()
