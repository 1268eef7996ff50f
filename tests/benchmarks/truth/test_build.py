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

    def commit(self):
        self.git("add", ".")
        self.git("commit", "-q", "-m", "one")

    def test_is_the_last_commit_that_changed_the_programs(self):
        self.git("init", "-q")
        source, other = self.root / "server/main.cc", self.root / "docs/map.md"
        for file in (source, other):
            file.parent.mkdir()
            file.write_text("one")
        self.commit()
        name = build.commit(self.root)
        self.assertRegex(name, "^[0-9a-f]{7,}$")
        other.write_text("two")
        self.assertEqual(build.commit(self.root), name)
        self.commit()
        self.assertEqual(build.commit(self.root), name)
        source.write_text("two")
        self.assertEqual(build.commit(self.root), f"{name}-dirty")
        self.commit()
        self.assertNotEqual(build.commit(self.root), name)

    def test_where_there_is_no_repository_nothing_is_said(self):
        self.assertEqual(build.commit(self.root), "")


if __name__ == "__main__":
    unittest.main()
