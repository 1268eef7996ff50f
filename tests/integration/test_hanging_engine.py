"""The engine takes calls and answers nothing: the server answers, cancels and stops all the same."""

import concurrent.futures
import contextlib
import signal
import socket
import time
import unittest
import urllib.parse

import hanging_engine
import target
from hanging_engine import HangingEngine
from server import Refused, Server, containers

AT_ONCE = 1  # seconds, of every answer
STARTED = 2
CANCELED = 8
STOPPED = 10
ORPHANS_GONE = 10
ASKERS = 12
STREAMS = 200
SOURCE = (("score.py", b"def init():\n    pass\n\n\ndef run(raw_data):\n    return raw_data\n"),)


class HangingEngineTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        hanging_engine.make_image()

    @classmethod
    def tearDownClass(cls):
        hanging_engine.remove_image()

    def setUp(self):
        self.engine = HangingEngine()
        self.addCleanup(self.engine.close)
        self.server = Server(options=(*self.engine.options(), "--base-image",
                                      hanging_engine.IMAGE))
        self.addCleanup(self.close_server)

    def close_server(self):
        self.engine.heal()
        self.server.close()

    def begin(self):
        self.server.start()
        self.model = self.server.register_model("weights", target.model_tar())
        self.rows = self.server.register_rows("rows", target.rows("x", 3))
        self.source = self.server.call("POST", "/sources", target.model_tar(SOURCE),
                                       "application/x-tar")["id"]

    def accept(self, name, config=None):
        self.server.profile(name, self.model, self.rows, config or hanging_engine.never_ready(),
                            budgetSeconds=300)

    def accept_script(self, name):
        """Prepared in a container; the image has no Python, so that its log soon ends."""
        self.accept(name, {"entryScript": "score.py", "sourceId": self.source,
                           "environment": {"python": {"pipPackages": []}}})

    def quick(self, method, path):
        began = time.monotonic()
        try:
            return self.server.call(method, path)
        finally:
            self.assertLess(time.monotonic() - began, AT_ONCE, path)

    def cancel(self, name):
        """The answer comes at once, and others are answered meanwhile; the end comes soon."""
        self.quick("POST", f"/profiles/{name}/cancel")
        self.quick("GET", "/healthz")
        self.assertEqual(self.server.wait_finished(name, CANCELED)["state"], "Canceled")

    def stop(self):
        began = time.monotonic()
        self.server.stop()
        self.assertLess(time.monotonic() - began, STOPPED, self.server.tail())
        self.assertEqual(self.server.process.returncode, 0, self.server.tail())

    def await_orphans_gone(self):
        deadline = time.monotonic() + ORPHANS_GONE
        while containers(self.server.instance()):
            self.assertLess(time.monotonic(), deadline, "orphans are still there")
            time.sleep(0.1)

    def await_none_running(self):
        """The engine takes a moment to see that a container has ended."""
        deadline = time.monotonic() + 5
        while hanging_engine.running(self.server.instance()):
            self.assertLess(time.monotonic(), deadline, "it still runs")
            time.sleep(0.05)

    def await_running(self):
        self.server.wait_until("p", lambda p: p["state"] == "Starting", 30)
        deadline = time.monotonic() + 30
        while not hanging_engine.running(self.server.instance()):
            self.assertLess(time.monotonic(), deadline, "no container runs")
            time.sleep(0.05)

    def is_ready(self):
        with contextlib.suppress(Refused):
            return self.quick("GET", "/readyz") == {"status": "ready"}
        return False

    def test_a_start_waits_for_nothing(self):
        self.engine.hang()
        began = time.monotonic()
        self.server.start()
        self.assertLess(time.monotonic() - began, STARTED)

        def ask(_):
            with self.assertRaises(Refused) as refused:
                self.quick("GET", "/readyz")
            self.assertEqual(refused.exception.status, 503)
            return refused.exception.problem["detail"]

        with concurrent.futures.ThreadPoolExecutor(ASKERS) as pool:
            for _ in range(5):
                list(pool.map(ask, range(ASKERS)))
                self.quick("GET", "/healthz")
        deadline = time.monotonic() + STOPPED
        while "no response in time" not in ask(0):
            self.assertLess(time.monotonic(), deadline, ask(0))
            time.sleep(0.1)
        self.stop()
        self.engine.heal()
        self.server.start()
        deadline = time.monotonic() + STOPPED
        while not self.is_ready():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)

    def test_cancel_during_a_call_that_hangs(self):
        self.begin()
        for call, accept in (("/containers/create", self.accept), ("/start", self.accept),
                             ("/wait", self.accept_script)):
            with self.subTest(call):
                name = "p" + call.replace("/", "-")
                self.engine.hang(call)
                accept(name)
                self.engine.await_held()
                self.cancel(name)
                self.engine.heal()
        self.stop()
        self.server.start()
        self.await_orphans_gone()

    def test_cancel_while_no_container_can_be_removed(self):
        self.begin()
        self.accept("p")
        self.await_running()
        self.engine.hang("/kill|^DELETE")
        self.cancel("p")
        self.await_none_running()
        self.assertTrue(containers(self.server.instance()), "it was removed after all")
        self.stop()
        self.engine.hang("^DELETE")
        self.server.start()
        self.engine.await_held()
        self.quick("GET", "/healthz")
        self.stop()
        self.engine.heal()
        self.server.start()
        self.await_orphans_gone()

    def test_stop_right_after_a_cancel(self):
        self.begin()
        self.accept("p")
        self.await_running()
        self.engine.hang("/kill|^DELETE")
        self.quick("POST", "/profiles/p/cancel")
        self.stop()
        self.await_none_running()
        self.engine.heal()
        self.server.start()
        self.assertEqual(self.server.wait_finished("p", CANCELED)["state"], "Canceled")
        self.await_orphans_gone()

    def test_stop_during_a_call_that_hangs(self):
        self.begin()
        for call, accept in (("/containers/create", self.accept), ("/start", self.accept),
                             ("/wait", self.accept_script)):
            with self.subTest(call):
                name = "p" + call.replace("/", "-")
                self.engine.hang(call)
                accept(name)
                self.engine.await_held()
                self.stop()
                self.engine.heal()
                self.server.start()
                self.quick("POST", f"/profiles/{name}/cancel")
                self.server.wait_finished(name, CANCELED)

    def test_stop_with_everything_in_flight(self):
        """A model is measured, streams are open, an upload has begun, and the engine goes away."""
        self.begin()
        self.accept("p")
        self.await_running()
        with contextlib.ExitStack() as open_until_the_end:
            for _ in range(STREAMS):
                self.send(open_until_the_end,
                          "GET /profiles/p/events HTTP/1.1\r\nHost: {host}\r\n\r\n")
            self.send(open_until_the_end, "POST /models?name=m HTTP/1.1\r\nHost: {host}\r\n"
                      "Content-Type: application/x-tar\r\nContent-Length: 1000000\r\n\r\nhalf")
            self.engine.hang()
            self.stop()
        self.await_none_running()
        self.engine.heal()
        self.server.start()
        self.server.wait_until("p", lambda p: p["state"] == "Starting", 30)
        self.quick("POST", "/profiles/p/cancel")

    def send(self, stack, text):
        host = urllib.parse.urlsplit(self.server.url)
        connection = stack.enter_context(socket.create_connection((host.hostname, host.port)))
        connection.sendall(text.format(host=host.netloc).encode())

    def test_a_second_signal_ends_at_once(self):
        self.begin()
        self.accept("p")
        self.await_running()
        self.engine.hang()
        self.server.process.send_signal(signal.SIGTERM)
        deadline = time.monotonic() + 5
        while "stopping" not in self.server.tail():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)
        began = time.monotonic()
        self.server.process.send_signal(signal.SIGTERM)
        self.server.process.wait(STOPPED)
        self.assertLess(time.monotonic() - began, AT_ONCE)
        self.assertEqual(self.server.process.returncode, -signal.SIGTERM)


if __name__ == "__main__":
    unittest.main()
