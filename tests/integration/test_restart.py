"""The server dies, or is asked to do what it must refuse: nothing accepted is lost."""

import contextlib
import secrets
import shutil
import sqlite3
import subprocess
import time
import unittest

import target
from checks import check_recommendation
from server import BIN, FINISHED, Refused, Server, containers

LONG_ROWS = 40
SCRIPT = b"""
def init():
    pass


def run(raw_data):
    return len(raw_data)
"""


class RestartTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        target.make_image()

    @classmethod
    def tearDownClass(cls):
        target.remove_image()

    def setUp(self):
        self.server = Server().start()
        self.addCleanup(self.server.close)
        self.model = self.server.register_model("weights", target.model_tar())
        self.rows = self.server.register_rows("rows", target.rows("burn=10", LONG_ROWS))

    def accept(self, name):
        self.server.profile(name, self.model, self.rows, target.config("--start-ms", "500"))

    def die_and_come_back(self):
        self.server.kill()
        began = time.monotonic()
        self.server.start()
        return time.monotonic() - began

    def die_in(self, state):
        self.accept("p")
        reached = self.server.wait_until(
            "p", lambda p: p["state"] == state or p["state"] in FINISHED)
        self.assertEqual(reached["state"], state)
        self.die_and_come_back()
        instance = self.server.instance()
        profile = self.server.wait_finished("p", 240)
        if profile["state"] == "Succeeded":
            check_recommendation(self, profile)
        else:
            self.assertEqual(profile["state"], "Failed")
            self.assertRegex(profile["error"]["message"], "restart|stopped|interrupted")
        self.assertEqual(containers(instance), [], "containers are left")
        return profile

    def test_killed_while_preparing_an_environment(self):
        """Packages nobody has asked for before, so that they must be installed."""
        before = environments()
        self.addCleanup(lambda: remove_images(environments() - before))
        source = self.server.call("POST", "/sources", target.model_tar((("score.py", SCRIPT),)),
                                  "application/x-tar")["id"]
        package = f"six!=0.{secrets.randbelow(10**9)}"
        self.server.profile("p", self.model, self.rows, {
            "entryScript": "score.py", "sourceId": source,
            "environment": {"python": {"pipPackages": [package]}}})
        self.server.wait_until("p", lambda p: p["state"] == "Preparing")
        deadline = time.monotonic() + 60
        while not containers(self.server.instance()):
            self.assertLess(time.monotonic(), deadline, "nothing is being installed")
            time.sleep(0.05)
        self.die_and_come_back()
        check_recommendation(self, self.server.wait_finished("p", 300))
        self.assertEqual(containers(self.server.instance()), [], "containers are left")

    def test_killed_while_starting(self):
        self.die_in("Starting")

    def test_killed_while_profiling(self):
        self.die_in("Profiling")

    def test_killed_while_verifying(self):
        self.die_in("Verifying")

    def test_killed_with_profiles_in_the_queue(self):
        self.accept("first")
        self.accept("second")
        self.die_and_come_back()
        for name in ("first", "second"):
            check_recommendation(self, self.server.wait_finished(name, 240))

    def test_orphan_containers_are_removed_at_the_restart(self):
        self.accept("p")
        self.server.wait_until("p", lambda p: p["state"] == "Profiling")
        self.server.kill()
        orphans = set(containers(self.server.instance()))
        self.assertTrue(orphans, "the kill came between two containers")
        self.server.start()
        deadline = time.monotonic() + 20
        while orphans & set(containers(self.server.instance())):
            self.assertLess(time.monotonic(), deadline, "orphans are still there")
            time.sleep(0.1)

    def test_containers_of_others_stay(self):
        foreign = subprocess.run(
            ["docker", "create", "--label", "mlprof.instance=another", target.IMAGE],
            stdout=subprocess.PIPE, check=True).stdout.decode().strip()
        self.addCleanup(subprocess.run, ["docker", "rm", "-f", foreign],
                        stdout=subprocess.DEVNULL)
        self.die_and_come_back()
        self.assertEqual(len(containers("another")), 1)

    def test_what_was_registered_is_there_after_a_kill(self):
        before = self.server.get(f"/models/{self.model}")
        self.die_and_come_back()
        self.assertEqual(self.server.get(f"/models/{self.model}"), before)
        self.assertEqual(self.server.get(f"/datasets/{self.rows}")["rowCount"], LONG_ROWS)

    def test_orderly_stop_ends_in_time_and_leaves_no_container(self):
        self.accept("p")
        self.server.wait_until("p", lambda p: p["state"] == "Profiling")
        instance = self.server.instance()
        self.server.stop()
        self.assertEqual(containers(instance), [])
        self.server.start()
        self.assertIn(self.server.wait_finished("p", 240)["state"], {"Succeeded", "Failed"})

    def test_cancel_while_running_leaves_no_container(self):
        self.accept("p")
        self.server.wait_until("p", lambda p: p["state"] == "Profiling")
        self.server.call("POST", "/profiles/p/cancel")
        self.assertEqual(self.server.wait_finished("p", 60)["state"], "Canceled")
        self.assertEqual(containers(self.server.instance()), [])
        with self.assertRaises(Refused) as again:
            self.server.call("POST", "/profiles/p/cancel")
        self.assertEqual(again.exception.status, 409)

    def test_cancel_in_the_queue(self):
        self.accept("first")
        self.accept("second")
        self.server.call("POST", "/profiles/second/cancel")
        self.assertEqual(self.server.wait_finished("second", 60)["state"], "Canceled")
        self.server.call("POST", "/profiles/first/cancel")

    def test_second_server_on_the_same_directory_is_refused(self):
        second = subprocess.run(
            [BIN / "mlprof-server", "--listen", "127.0.0.1:0", "--data-dir", self.server.data],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            timeout=30, check=False)
        self.assertNotEqual(second.returncode, 0)
        self.assertIn("in use", second.stdout.decode())
        self.server.get("/healthz")

    def test_database_of_a_newer_version_is_left_as_it_is(self):
        self.server.stop()
        database = self.server.data / "mlprof.db"
        with contextlib.closing(sqlite3.connect(database)) as rows, rows:
            rows.execute("INSERT INTO schema_migrations (version, name, checksum, "
                         "applied_at_unix_ms) VALUES (9999, 'future', 'x', 0)")
        before = database.read_bytes()
        with self.assertRaisesRegex(AssertionError, "newer"):
            self.server.start()
        self.assertEqual(database.read_bytes(), before)
        shutil.rmtree(self.server.data)


def environments():
    listed = subprocess.run(["docker", "images", "-q", "mlprof-env"], stdout=subprocess.PIPE,
                            check=True)
    return set(listed.stdout.decode().split())


def remove_images(images):
    if images:
        subprocess.run(["docker", "rmi", "-f", *images], stdout=subprocess.DEVNULL, check=False)


if __name__ == "__main__":
    unittest.main()
