"""Scripts for Azure ML's v1 SDK run unmodified: models and datasets, and profiles whatever becomes of
them."""

import json
import subprocess
import time
import unittest
import urllib.parse

from azure_sdk_case import AzureSdkCase
from script_checks import check_outcomes, check_registry
from script_runs import WORKSPACE, home_of
from server import FINISHED, Refused

# The script imports its SDK, registers and has its environment built, beside whatever else shares the
# cores: two minutes were not enough.
CANCEL_DEADLINE_S = 600


class AzureSdkOutcomesTest(AzureSdkCase):
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
