"""What tests of v1 scripts have in common: a folder of each test's own, with what they expect in it."""

import pathlib
import tempfile
import unittest

from script_runs import prepare


class ScriptCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="mlprof-it-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        prepare(self.folder)
