"""Scripts for Azure ML's v1 SDK run unmodified: azureml-core as it is published, an mlprof-server
over TLS, `eval "$(mlprof azure-env)"` between them, and real profiles."""

import json
import pathlib
import subprocess
import tempfile
import time
import unittest
import urllib.parse

from checks import check_recommendation
from script_checks import check_outcomes, check_registry, check_tags
from script_runs import (BUDGET_S, GROUP, NAME, SCRIPTS, SUBSCRIPTION, WORKSPACE, environment,
                         home_of, prepare, result_of)
from server import FINISHED, ROOT, Refused, Server, containers

PACKAGES = ("azureml-core==1.61.0.post4", "azureml-dataset-runtime")
CANCEL_DEADLINE_S = 120
WITH_AZURE_ENV = (f'lines=$(mlprof azure-env --subscription {SUBSCRIPTION} '
                  f'--resource-group {GROUP} --workspace {NAME}) && eval "$lines" && exec "$@"')


class AzureSdkTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.python = environment(ROOT / "build/azure-venv", PACKAGES, "\n".join(PACKAGES))
        cls.server = Server(options=("--tls-listen", "127.0.0.1:0",
                                     "--budget-seconds", str(BUDGET_S))).start()
        cls.addClassCleanup(cls.server.close)

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="mlprof-it-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        prepare(self.folder)

    def words(self, script, *arguments):
        return ["sh", "-c", WITH_AZURE_ENV, "sh", self.python, "-W", "ignore::DeprecationWarning",
                SCRIPTS / script, *arguments]

    def run_script(self, script, *arguments):
        return result_of(self.words(script, *arguments), self.folder,
                         home_of(self.folder, self.server))

    def native(self, path):
        joined = "&" if "?" in path else "?"
        return self.server.get(f"{path}{joined}workspace={urllib.parse.quote(WORKSPACE, safe='')}")

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

    def test_models_and_datasets(self):
        _, result = self.run_script("registry_script.py")
        check_registry(self, result)
        model = self.native("/models/parts:1")
        self.assertEqual((model["tags"], model["description"]), ({"only": "this"}, "changed"))
        self.assertEqual(model["properties"]["origin"], "script")
        self.assertEqual(self.native("/models/big")["sizeInBytes"], 100 << 20)
        self.assertEqual(self.native("/datasets/rows/rows")["value"], ["first", "second"])

    def test_profiles_that_fail_and_that_ask_for_everything(self):
        _, result = self.run_script("outcomes_script.py", "initRaises", "bare", "rowFails",
                                    "everything", "refused", "timedOut")
        check_outcomes(self, result)
        self.assertIn("has a second column", result["refused"]["twoColumns"])
        details = result["timedOut"]["details"]
        self.assertEqual(details["state"], "Failed")
        self.assertTrue(details["error"]["message"])

    def test_a_profile_cancelled_by_someone_else_is_told_to_the_script(self):
        where = urllib.parse.quote(WORKSPACE, safe="")
        with open(self.folder / "printed", "wb") as out:
            script = subprocess.Popen(
                self.words("outcomes_script.py", "cancelled"), cwd=self.folder, stdout=out,
                env=home_of(self.folder, self.server), stderr=out, stdin=subprocess.DEVNULL)
        self.addCleanup(script.wait)
        self.addCleanup(script.kill)
        deadline = time.monotonic() + CANCEL_DEADLINE_S
        while not self.running("cancelled"):
            printed = (self.folder / "printed").read_text()
            self.assertIsNone(script.poll(), printed)
            self.assertLess(time.monotonic(), deadline, printed)
            time.sleep(0.2)
        self.server.call("POST", f"/profiles/cancelled/cancel?workspace={where}")
        script.wait(CANCEL_DEADLINE_S)
        printed = (self.folder / "printed").read_text()
        result = json.loads(printed.rpartition("RESULT ")[2])["cancelled"]
        self.assertEqual(result["details"]["state"], "Cancelled")
        self.assertEqual(result["details"]["error"]["code"], "Cancelled")
        self.assertTrue(any("was cancelled" in text for text in result["warned"]), printed)

    def running(self, name):
        try:
            state = self.native(f"/profiles/{name}")["state"]
        except Refused:
            return False
        self.assertNotIn(state, FINISHED)
        return state not in ("Queued", "Preparing")


if __name__ == "__main__":
    unittest.main()
