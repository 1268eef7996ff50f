"""Rows and models that misbehave: each ends, in an answer with warnings or in a failure that says
what to do, and no figure looks good because errors are fast."""

import re
import unittest

import target
from checks import check_failed, check_recommendation
from long_tests import long_test
from server import Server, containers

GOOD = target.rows("burn=2", 20)


class BadInputTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        target.make_image()
        cls.server = Server().start()
        cls.model = cls.server.register_model("weights", target.model_tar())

    @classmethod
    def tearDownClass(cls):
        cls.server.close()
        target.remove_image()

    def run_profile(self, name, rows, *arguments, **more):
        dataset = self.server.register_rows(name, rows)
        budget = more.pop("budgetSeconds", 30)
        self.server.profile(name, self.model, dataset,
                            target.config(*arguments, requestTimeoutSeconds=2),
                            budgetSeconds=budget, **more)
        profile = self.server.wait_finished(name)
        self.assertEqual(containers(self.server.instance()), [], "containers are left")
        return profile

    def check_some_rows_failed(self, profile):
        """An answer for the rows that work, unverified and with the failing one quoted."""
        self.assertEqual(profile["state"], "Succeeded", profile.get("error"))
        self.assertFalse(profile["recommendation"]["verified"])
        self.assertEqual(profile["recommendation"]["confidence"], "low")
        codes = [warning["code"] for warning in profile["warnings"]]
        self.assertIn("rowsFailed", codes)
        self.assertLess(profile["measurements"]["successRate"], 1)

    def test_every_row_answered_by_garbage(self):
        profile = self.run_profile("garbage", ["garbage a", "garbage b"])
        self.assertIn("malformed", check_failed(self, profile, "RowsFailed")["message"])

    def test_every_row_closed_without_an_answer(self):
        profile = self.run_profile("close", ["close a", "close b"])
        self.assertIn("reset", check_failed(self, profile, "RowsFailed")["message"])

    def test_every_row_hangs(self):
        profile = self.run_profile("hang", ["hang a", "hang b"])
        self.assertIn("timeout", check_failed(self, profile, "RowsFailed")["message"])

    def test_answers_that_never_end_are_cut_off(self):
        profile = self.run_profile("stream", ["stream=10 a", "stream=10 b"])
        self.assertIn("timeout", check_failed(self, profile, "RowsFailed")["message"])

    def test_one_row_of_many_hangs(self):
        self.check_some_rows_failed(self.run_profile("onehang", GOOD + ["hang"]))

    def test_one_row_of_many_is_an_error(self):
        self.check_some_rows_failed(self.run_profile("oneerror", GOOD + ["status=500"]))

    @long_test
    def test_an_allowed_share_of_errors_leaves_the_answer_verified(self):
        profile = self.run_profile("allowed", GOOD + ["status=500"], budgetSeconds=120,
                                   objective={"maxErrorRate": 0.2})
        self.assertTrue(profile["recommendation"]["verified"], profile["warnings"])

    @long_test
    def test_large_answers(self):
        profile = self.run_profile("large", [f"burn=2 big=50 {i}" for i in range(5)],
                                   budgetSeconds=60)
        answer = check_recommendation(self, profile)
        self.assertGreaterEqual(answer["requestedMemoryInBytes"], 50 << 20)

    @long_test
    def test_rows_that_fork(self):
        profile = self.run_profile("forks", [f"burn=2 fork=1 {i}" for i in range(5)])
        self.assertIn(profile["state"], ("Succeeded", "Failed"))
        if profile["state"] == "Failed":
            self.assertTrue(profile["error"]["advice"])

    def test_a_model_that_dies_half_way_through_an_answer(self):
        profile = self.run_profile("half", GOOD + ["half"])
        self.assertEqual(profile["state"], "Succeeded", profile.get("error"))
        self.assertEqual(profile["findings"]["killingRows"], [20])

    def test_a_row_that_ends_one_worker_of_two_is_named_and_left_out(self):
        profile = self.run_profile("worker", GOOD + ["die"], "--workers", "2", budgetSeconds=60)
        check_recommendation(self, profile)
        self.assertEqual(profile["findings"]["killingRows"], [20])
        self.assertIn("rowKills", [warning["code"] for warning in profile["warnings"]])

    def test_leak_that_reaches_the_ceiling_within_the_run(self):
        profile = self.run_profile("leak", [f"sleep=4 leak=256 {i}" for i in range(20)],
                                   budgetSeconds=120,
                                   containerResourceRequirements={"cpu": 1, "memoryInGb": 0.5})
        message = check_failed(self, profile, "OutOfMemory")["message"]
        self.assertIn("a request", message)
        self.assertIn("512 MiB", message)
        self.assertIn("leakSuspected", [warning["code"] for warning in profile["warnings"]])
        leaked = profile["findings"]["memory"]["bytesPerRequest"] / 1024
        self.assertAlmostEqual(leaked, 256, delta=0.15 * 256)

    def test_workers_that_do_not_load_at_the_ceiling(self):
        """Each is killed and started anew for ever; two of 400 MiB load together at 0.8 GiB."""
        profile = self.run_profile("workers", GOOD, "--workers", "2", "--worker-mib", "400",
                                   budgetSeconds=120,
                                   containerResourceRequirements={"cpu": 1, "memoryInGb": 0.25})
        message = check_failed(self, profile, "OutOfMemory")["message"]
        found = re.search(r"it starts with ([0-9.]+) GiB", message)
        self.assertTrue(found, message)
        # The first worker may serve while the second still loads.
        self.assertGreaterEqual(float(found.group(1)), 0.75)
        self.assertLess(float(found.group(1)), 1.1)

    @long_test
    def test_rows_slower_than_the_budget(self):
        profile = self.run_profile("slow", [f"sleep=1500 {i}" for i in range(60)])
        self.assertEqual(profile["state"], "Succeeded", profile.get("error"))
        self.assertIn("rowsSampled", [warning["code"] for warning in profile["warnings"]])


if __name__ == "__main__":
    unittest.main()
