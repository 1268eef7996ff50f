"""How the benchmark names the mlprof that it measures."""

import pathlib
import subprocess
import tempfile
import unittest

import build


class CommitTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def git(self, *words):
        subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@t", *words], cwd=self.root,
                       stdout=subprocess.DEVNULL, check=True)

    def test_what_the_benchmark_writes_is_no_change_of_the_programs(self):
        self.git("init", "-q")
        kept = self.root / build.WRITTEN[0] / "t.json"
        kept.parent.mkdir(parents=True)
        source = self.root / "main.cc"
        for file in (kept, source):
            file.write_text("one")
        self.git("add", ".")
        self.git("commit", "-q", "-m", "one")
        name = build.commit(self.root)
        self.assertRegex(name, "^[0-9a-f]{7,}$")
        kept.write_text("two")
        self.assertEqual(build.commit(self.root), name)
        source.write_text("two")
        self.assertEqual(build.commit(self.root), f"{name}-dirty")

    def test_where_there_is_no_repository_nothing_is_said(self):
        self.assertEqual(build.commit(self.root), "")


if __name__ == "__main__":
    unittest.main()
