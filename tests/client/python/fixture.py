"""A fake server, a workspace on it, and a folder of its own as current directory and home."""

import os
import pathlib
import tempfile
import unittest
from unittest import mock

from fake_server import FakeServer
from mlprof.core import Workspace


class PackageTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="mlprof-py-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        self.server = FakeServer()
        self.addCleanup(self.server.close)
        variables = {"HOME": str(self.folder), "MLPROF_SERVER": self.server.url}
        kept = {key: value for key, value in os.environ.items()
                if not key.startswith(("MLPROF_", "XDG_"))}
        self.replace(mock.patch.dict(os.environ, {**kept, **variables}, clear=True))
        self.replace(mock.patch("mlprof.core.waiting.POLL_SECONDS", 0))
        self.replace(mock.patch("mlprof.rest.connection.FIRST_PAUSE_SECONDS", 0))
        self.workspace = Workspace("sub", "group", "ws")

    def replace(self, patch):
        patch.start()
        self.addCleanup(patch.stop)

    def write(self, name, content="x"):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path
