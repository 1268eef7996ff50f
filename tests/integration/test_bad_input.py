"""Rows and models that misbehave and are measured all the same: each ends, in an answer with warnings
or in a failure that says what to do."""

import re
import unittest

from bad_input_case import GOOD, BadInputCase
from checks import check_failed, check_recommendation
from long_tests import long_test


class BadInputTest(BadInputCase):
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
