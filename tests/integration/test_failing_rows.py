"""Rows that fail: each profile ends, in an answer without them or in a failure that says what to do,
and no figure looks good because errors are fast."""

import unittest

from bad_input_case import GOOD, BadInputCase
from checks import check_failed


class FailingRowsTest(BadInputCase):
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

    def test_a_model_that_dies_half_way_through_an_answer(self):
        profile = self.run_profile("half", GOOD + ["half"])
        self.assertEqual(profile["state"], "Succeeded", profile.get("error"))
        self.assertEqual(profile["findings"]["killingRows"], [20])


if __name__ == "__main__":
    unittest.main()
