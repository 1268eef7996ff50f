"""Many long stored events with several readers, some of which take nothing: the server's memory does
not grow with the events, and it goes on answering."""

import concurrent.futures
import contextlib
import json
import pathlib
import socket
import sqlite3
import time
import unittest
import urllib.parse
import urllib.request

import target
from server import Server

EVENTS = 5000
EVENT_BYTES = 65_000
READERS = 4
SLOW_READERS = 8
GROWTH_LIMIT = 64 << 20  # bytes; all events are 325 MB
ANSWER_LIMIT_S = 2
READ_DEADLINE_S = 300


class EventReadersTest(unittest.TestCase):
    def setUp(self):
        # Without an engine the profile waits, and its events stay as they are.
        self.server = Server(options=["--docker-host", "unix:///nowhere/docker.sock"]).start()
        self.addCleanup(self.server.close)
        model = self.server.register_model("weights", target.model_tar())
        rows = self.server.register_rows("rows", target.rows("burn=1"))
        self.profile = self.server.profile("waits", model, rows, target.config())["id"]
        self.server.stop()
        self.store_events()
        self.server.start()

    def store_events(self):
        """As an earlier server left them, without checksums."""
        data = json.dumps({"text": "x" * EVENT_BYTES})
        with contextlib.closing(sqlite3.connect(self.server.data / "mlprof.db")) as database:
            with database:
                database.executemany(
                    "INSERT INTO profile_events (profile_id, event_id, type, data)"
                    " VALUES (?, ?, 'log', ?)",
                    ((self.profile, number, data) for number in range(1, EVENTS + 1)))

    def read(self, after=0):
        """The ids of the stored events that a reader gets."""
        request = urllib.request.Request(f"{self.server.url}/profiles/waits/events")
        if after:
            request.add_header("Last-Event-ID", str(after))
        ids = []
        with urllib.request.urlopen(request, timeout=60) as stream:
            for line in stream:
                if line.startswith(b"id: "):
                    ids.append(int(line[4:]))
                if line.startswith(b"data: ") and ids[-1] == EVENTS:
                    return ids
        return ids

    def take_nothing(self):
        """A reader that asks and then reads no more."""
        url = urllib.parse.urlsplit(self.server.url)
        reader = socket.create_connection((url.hostname, url.port))
        self.addCleanup(reader.close)
        reader.sendall(f"GET /profiles/waits/events HTTP/1.1\r\nHost: {url.netloc}\r\n\r\n".encode())

    def memory(self, name):
        """A figure of the server's /proc/PID/status, in bytes."""
        status = pathlib.Path(f"/proc/{self.server.process.pid}/status").read_text()
        return int(status.split(f"{name}:")[1].split()[0]) << 10

    def slowest_answer(self, until):
        """Of /healthz, in seconds, asked for until `until()`."""
        slowest = 0
        deadline = time.monotonic() + READ_DEADLINE_S
        while not until():
            began = time.monotonic()
            self.assertEqual(self.server.get("/healthz"), {"status": "ok"})
            slowest = max(slowest, time.monotonic() - began)
            self.assertLess(time.monotonic(), deadline)
        return slowest

    def test_memory_and_answers(self):
        self.server.get("/healthz")
        pathlib.Path(f"/proc/{self.server.process.pid}/clear_refs").write_text("5")
        before = self.memory("VmRSS")
        for _ in range(SLOW_READERS):
            self.take_nothing()
        with concurrent.futures.ThreadPoolExecutor(READERS) as pool:
            readers = [pool.submit(self.read) for _ in range(READERS)]
            slowest = self.slowest_answer(lambda: all(reader.done() for reader in readers))
            for reader in readers:
                self.assertEqual(reader.result(), list(range(1, EVENTS + 1)))
        grown = self.memory("VmHWM") - before
        print(f"grown by {grown >> 20} MiB, slowest answer {slowest:.2f} s", end=" ", flush=True)
        self.assertLess(grown, GROWTH_LIMIT)
        self.assertLess(slowest, ANSWER_LIMIT_S)

    def test_resumes_behind_the_last_event_seen(self):
        self.assertEqual(self.read(after=EVENTS - 10), list(range(EVENTS - 9, EVENTS + 1)))


if __name__ == "__main__":
    unittest.main()
