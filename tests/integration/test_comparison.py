"""Variants of one model with planted needs: ranked by cost, a loser ended early, one that cannot start."""

import json
import os
import subprocess
import tempfile
import unittest

import target
from server import BIN, Server

BUDGET_S = 80
# What a request takes of one core, in ms.
WORK_MS = 8


class ComparisonTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        target.make_image()
        cls.addClassCleanup(target.remove_image)
        cls.server = Server().start()
        cls.addClassCleanup(cls.server.close)

    def mlprof(self, *arguments):
        return subprocess.run(
            [BIN / "mlprof", "--server", self.server.url, *map(str, arguments)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            timeout=BUDGET_S + 60, check=False)

    def test_the_cheapest_variant_that_holds_the_objective_is_recommended(self):
        self.server.register_model("plain", target.model_tar())
        self.server.register_rows("rows", target.rows(f"burn={WORK_MS}"))
        variants = {"budgetSeconds": BUDGET_S, "rankBy": "replica",
                    "prices": {"perCoreHour": 0.1, "perGibHour": 1}, "variants": [
            {"name": "broken", "command": ["/nothing-is-here"]},
            {"name": "lean"},
            {"name": "fat", "args": ["--start-mib", "600"]}]}
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "variants.json")
            with open(file, "w", encoding="utf-8") as out:
                json.dump(variants, out)
            config = os.path.join(folder, "inferenceConfig.json")
            with open(config, "w", encoding="utf-8") as out:
                json.dump(target.config(), out)
            done = self.mlprof("profile", "-m", "plain", "--idi", "rows", "--ic", config,
                               "-n", "needs", "--variants", file, "-o", "json")
        told = done.stderr.decode()
        self.assertEqual(done.returncode, 0, told + done.stdout.decode())
        self.assertIn("variant 3 of 3: fat", told)
        comparison = json.loads(done.stdout)
        by_name = {variant["name"]: variant for variant in comparison["variants"]}
        self.assertEqual(comparison["recommendation"]["variant"], "lean", comparison)
        self.assertEqual(by_name["lean"]["outcome"], "proven")
        self.assertEqual(by_name["broken"]["outcome"], "failed")
        self.assertTrue(by_name["broken"]["why"])
        # What the broken one did not use the others got.
        lean = self.server.get("/profiles/needs.lean")
        self.assertGreater(lean["budgetSeconds"], BUDGET_S // 3)
        self.assertIn(by_name["fat"]["outcome"], ("proven", "endedEarly", "unproven"))
        if by_name["fat"]["outcome"] == "endedEarly":
            self.assertIn("lean is proven", by_name["fat"]["why"])
        shown = self.mlprof("comparison", "show", "needs").stdout.decode()
        self.assertIn("recommended      lean", shown)
        print(shown, flush=True)


if __name__ == "__main__":
    unittest.main()
