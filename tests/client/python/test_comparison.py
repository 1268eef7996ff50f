"""Comparisons of variants: what is asked of the server, and what is known of them afterwards."""

import unittest

from fake_server import Refusal
from fixture import PackageTest
from mlprof import Comparison, Dataset, InferenceConfig, Model
from mlprof.exceptions import WebserviceException

VARIANTS = [{"name": "one", "environmentVariables": {"OMP_NUM_THREADS": "1"}}, {"name": "two"}]


class ComparisonTest(PackageTest):
    def setUp(self):
        super().setUp()
        self.write("score.py")
        self.model = Model.register(self.workspace, "score.py", "m")
        self.dataset = Dataset.Tabular.from_rows(["a", "b"]).register(self.workspace, "d")

    def compare(self, variants=VARIANTS, **more):
        return Model.compare(self.workspace, "sides", [self.model],
                             InferenceConfig(entry_script="score.py"), self.dataset, variants, **more)

    def asked(self):
        return self.server.sent("POST", "/comparisons")[-1].json

    def test_the_request_is_that_of_a_profile_with_its_variants(self):
        comparison = self.compare(budget_seconds=60, seed=3, rank_by="replica",
                                  prices={"perCoreHour": 2}, objective={"concurrency": 2})
        self.assertEqual(comparison.state, "Queued")
        asked = self.asked()
        self.assertEqual((asked["name"], asked["modelIds"], asked["inputDatasetId"]),
                         ("sides", ["m:1"], "d:1"))
        self.assertEqual(asked["variants"], VARIANTS)
        self.assertEqual((asked["budgetSeconds"], asked["seed"], asked["rankBy"], asked["prices"]),
                         (60, 3, "replica", {"perCoreHour": 2}))
        self.compare()
        self.assertNotIn("prices", self.asked())

    def test_a_config_of_a_variant_is_uploaded(self):
        config = InferenceConfig.from_image("image:1")
        self.compare([{"name": "one"}, {"name": "two", "inferenceConfig": config}])
        self.assertEqual(self.asked()["variants"][1]["inferenceConfig"]["image"], "image:1")

    def test_it_is_waited_for_to_its_end(self):
        self.server.comparison_states = ["Running", "Succeeded"]
        comparison = self.compare()
        comparison.wait_for_completion()
        self.assertEqual((comparison.state, comparison.recommended, comparison.because),
                         ("Succeeded", "one", "it is"))
        self.assertEqual(Comparison.get(self.workspace, "sides").recommended, "one")
        with self.assertRaises(KeyError):
            comparison.profile("three")

    def test_waiting_has_an_end(self):
        self.server.comparison_states = ["Running"]
        with self.assertRaisesRegex(WebserviceException, "has not ended"):
            self.compare().wait_for_completion(timeout_seconds=0)

    def test_cancel_and_delete(self):
        comparison = self.compare()
        self.server.comparison_states = ["Canceled"]
        comparison.cancel()
        self.assertEqual(comparison.state, "Canceled")
        comparison.delete()
        self.assertEqual(len(self.server.sent("DELETE", "/comparisons/c0")), 1)

    def test_a_refusal_names_the_field(self):
        self.server.refusals = [Refusal(400, "bad", [{"pointer": "/variants/1/comand",
                                                      "detail": "is not a known field"}])]
        with self.assertRaisesRegex(WebserviceException, "/variants/1/comand"):
            self.compare([{"name": "one"}, {"name": "two", "comand": []}])


if __name__ == "__main__":
    unittest.main()
