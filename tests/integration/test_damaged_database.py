"""Bits change on the disk while the server is stopped: it says so, and nothing is lost by its start."""

import contextlib
import shutil
import sqlite3
import time
import unittest

import target
from server import Refused, Server

PAGE_BYTES = 4096


class DamagedDatabaseTest(unittest.TestCase):
    def setUp(self):
        self.server = Server().start()
        self.addCleanup(self.server.close)
        self.tar = target.model_tar((("weights", b"the first"),))
        self.model = self.server.register_model("words", self.tar)
        self.rows = self.server.register_rows("rows", ["a", "b"])
        self.server.stop()
        self.data = self.server.data
        self.database = self.data / "mlprof.db"
        self.backup = self.server.data.parent / "backup"
        shutil.copytree(self.data, self.backup)

    def files(self):
        """Every file of the data directory but the lock, with its bytes."""
        return {path.relative_to(self.data): path.read_bytes()
                for path in self.data.rglob("*") if path.is_file() and path.name != "lock"}

    def flip(self, name, text):
        """A bit of `text`, where it first stands in the first page of a table or an index."""
        with contextlib.closing(sqlite3.connect(f"file:{self.database}?mode=ro", uri=True)) as rows:
            root, = rows.execute("SELECT rootpage FROM sqlite_master WHERE name = ?",
                                 (name,)).fetchone()
        content = bytearray(self.database.read_bytes())
        at = content.index(text, (root - 1) * PAGE_BYTES, root * PAGE_BYTES)
        content[at] ^= 1
        self.database.write_bytes(content)

    def refusal(self):
        """What the server says that does not start; it touches nothing."""
        before = self.files()
        with self.assertRaises(AssertionError) as refused:
            self.server.start()
        self.assertEqual(self.server.process.wait(10), 1)
        self.assertEqual(self.files(), before)
        return str(refused.exception)

    def check_all_there(self):
        self.assertEqual(self.server.get(f"/models/{self.model}")["id"], self.model)
        self.assertEqual(self.server.call("GET", f"/models/{self.model}/content"),
                         self.tar.decode(errors="replace"))
        self.assertEqual(self.server.get(f"/datasets/{self.rows}")["rowCount"], 2)

    def restore(self):
        shutil.rmtree(self.data)
        shutil.copytree(self.backup, self.data)

    def test_damaged_index_is_refused_and_a_backup_restores_all(self):
        self.flip("sqlite_autoindex_models_1", b"words")
        message = self.refusal()
        self.assertIn("missing from index sqlite_autoindex_models_1", message)
        self.assertIn(f"cp -a BACKUP {self.data}", message)
        self.restore()
        self.server.start()
        self.check_all_there()

    def test_damaged_index_is_made_anew_when_asked(self):
        self.flip("sqlite_autoindex_models_1", b"words")
        self.assertIn("--repair-indexes", self.refusal())
        self.server.options = ("--repair-indexes",)
        self.server.start()
        self.check_all_there()
        self.server.stop()
        self.server.options = ()
        self.server.start()
        self.check_all_there()

    def test_damaged_value_is_refused_by_its_name(self):
        self.flip("models", b'"description"')
        self.assertIn("the model words:1 of workspace default is not as it was written",
                      self.refusal())

    def test_no_new_database_is_begun_beside_stored_content(self):
        self.database.write_bytes(b"")
        self.assertIn("missing or empty", self.refusal())
        self.database.unlink()
        self.assertIn("missing or empty", self.refusal())

    def test_content_of_a_newer_database_is_kept_and_taken_back(self):
        self.server.start()
        later = self.server.register_model("later", target.model_tar((("weights", b"second"),)))
        self.server.stop()
        newer = self.database.read_bytes()
        shutil.copy(self.backup / "mlprof.db", self.database)
        self.server.start()
        self.check_all_there()
        until = time.monotonic() + 20
        while "moved into the quarantine" not in self.server.tail() and time.monotonic() < until:
            time.sleep(0.05)
        self.assertEqual(len(list(self.data.glob("quarantine/*/content/*"))), 1)
        self.assertIn("moved into the quarantine", self.server.tail())
        self.server.stop()
        self.database.write_bytes(newer)
        self.server.start()
        self.assertIn("second", self.server.call("GET", f"/models/{later}/content"))
        self.assertEqual(list(self.data.glob("quarantine/*/content/*")), [])

    def test_damaged_file_is_told_to_whoever_needs_it(self):
        damaged = next(path for path in self.data.glob("content/sha256/*/*")
                       if b"the first" in path.read_bytes())
        damaged.write_bytes(damaged.read_bytes().replace(b"the first", b"the forst"))
        self.server.start()
        with self.assertRaises(Refused) as refused:
            self.server.call("GET", f"/models/{self.model}/content")
        self.assertEqual(refused.exception.status, 500)
        self.server.profile("p", self.model, self.rows, target.config())
        profile = self.server.wait_finished("p")
        self.assertEqual(profile["state"], "Failed")
        self.assertIn(f"the model {self.model} is damaged", profile["error"]["message"])
        self.assertIn("contentDamaged", self.server.tail())
        self.server.register_model("words", self.tar)
        self.check_all_there()


if __name__ == "__main__":
    unittest.main()
