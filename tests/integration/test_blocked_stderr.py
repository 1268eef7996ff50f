"""Whoever reads the server's stderr has stopped reading: the log waits, and nothing else does."""

import os
import pathlib
import subprocess
import tempfile
import unittest

from server import Server

STOP_LIMIT_S = 10


class BlockedStderrTest(unittest.TestCase):
    def test_a_pipe_that_is_full_holds_nothing_up(self):
        server = self.server()
        try:
            server.start()
            self.assertEqual(server.get("/healthz"), {"status": "ok"})
            server.process.terminate()  # which is logged
            self.assertEqual(server.process.wait(STOP_LIMIT_S), 0)
        finally:
            server.kill()

    def test_a_start_that_is_refused_ends_too(self):
        server = self.server()
        server.data.mkdir()
        (server.data / "somebody-elses").touch()
        with subprocess.Popen(server.command(), stdin=subprocess.DEVNULL) as process:
            try:
                self.assertEqual(process.wait(STOP_LIMIT_S), 1)
            finally:
                process.kill()

    def server(self):
        """One whose stderr is a pipe that is full."""
        folder = tempfile.TemporaryDirectory(prefix="mlprof-it-")
        self.addCleanup(folder.cleanup)
        pipe = pathlib.Path(folder.name) / "stderr"
        os.mkfifo(pipe)
        reader = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
        self.addCleanup(os.close, reader)
        fill(reader)
        server = Server(prefix=["sh", "-c", 'exec "$@" 2> "$0"', pipe])
        self.addCleanup(server.folder.cleanup)
        return server


def fill(pipe):
    """Until it does not take a byte more."""
    for size in (1 << 16, 1):
        try:
            while True:
                os.write(pipe, b"\n" * size)
        except BlockingIOError:
            pass


if __name__ == "__main__":
    unittest.main()
