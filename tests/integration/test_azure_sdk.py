"""The page's script for Azure ML's v1 SDK runs unmodified, with a real profile of which both
interfaces tell the same."""

import json
import unittest
import urllib.parse

from azure_sdk_case import WITH_AZURE_ENV, AzureSdkCase
from checks import check_recommendation
from script_checks import check_tags
from script_runs import WORKSPACE, home_of, result_of
from server import Refused, containers


class AzureSdkTest(AzureSdkCase):
    def test_the_pages_script_profiles_for_real_and_both_sides_show_one_truth(self):
        printed, result = self.run_script("profile_script.py")

        details = result["details"]
        self.assertEqual(details["state"], "Succeeded", printed)
        self.assertIn("Running", printed)
        self.assertIn("\nSucceeded", printed)
        profile = self.native("/profiles/unique_name")
        answer = check_recommendation(self, profile)
        self.assertEqual(details["recommendedCpu"], answer["requestedCpu"])
        self.assertEqual(details["recommendedMemoryInGB"], answer["requestedMemoryInGb"])
        # Nothing was asked for, so the answer stands there too, and the page's last step tags it.
        self.assertEqual(details["requestedCpu"], answer["requestedCpu"])
        self.assertEqual(details["requestedMemoryInGB"], answer["requestedMemoryInGb"])
        check_tags(self, result["tags"], answer)
        measured = profile["measurements"]
        self.assertEqual(details["totalQueries"], measured["totalQueries"])
        self.assertEqual(details["successRate"], 100)
        self.assertEqual(details["averageLatencyInMs"], measured["averageLatencyInMs"])
        self.assertEqual(result["serialized"]["inputDatasetId"], result["dataset"])
        self.assertEqual(result["sameDataset"], "sample_request_data")

        self.assertEqual(profile["modelIds"], [result["model"]])
        model = self.native(f"/models/{result['model']}")
        self.assertEqual(model["tags"], result["tags"])
        self.assertEqual(model["description"], "sums")
        dataset = self.native("/datasets/sample_request_data")
        self.assertEqual(dataset["rowCount"], 40)
        rows = self.native("/datasets/sample_request_data/rows?top=1")["value"]
        self.assertEqual(json.loads(rows[0])["data"][0][-1], 0)
        with self.assertRaises(Refused):  # another workspace has none of it
            self.server.get(f"/models/{result['model']}")
        self.assertEqual(containers(self.server.instance()), [])

        self.see_natively_made()

    def see_natively_made(self):
        """The reverse: what the native interface makes is there for the SDK."""
        where = urllib.parse.quote(WORKSPACE, safe="")
        self.server.call("PATCH", f"/models/weights?workspace={where}", {"addTags": {"by": "rest"}})
        script = ("import json; from azureml.core import Workspace; "
                  "from azureml.core.model import Model; "
                  "from azureml.core.profile import ModelProfile; ws = Workspace.from_config(); "
                  "p = ModelProfile(ws, 'unique_name'); "
                  "print('RESULT ' + json.dumps([Model(ws, 'weights').tags['by'], p.state]))")
        _, seen = result_of(["sh", "-c", WITH_AZURE_ENV, "sh", self.python, "-c", script],
                            self.folder, home_of(self.folder, self.server))
        self.assertEqual(seen, ["rest", "Succeeded"])


if __name__ == "__main__":
    unittest.main()
