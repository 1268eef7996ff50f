"""A profile of examples/jax-scoring, which takes device traces of JAX in its container: needs Docker
and JAX, which mlprof installs."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from long_tests import long_test
from server import BIN, ROOT, Refused, Server, containers
from test_examples import pack

EXAMPLE = ROOT / "examples/jax-scoring"
# Packages are installed first.
PROFILE_S = 900
COMMAND_S = 120


class CapturesCase(unittest.TestCase):
    options = ()  # of the server

    @classmethod
    def setUpClass(cls):
        subprocess.run(["python3", EXAMPLE / "make_model.py"], check=True)
        cls.server = Server(options=cls.options).start()
        cls.addClassCleanup(cls.server.close)
        cls.folder = pathlib.Path(cls.enterClassContext(
            tempfile.TemporaryDirectory(prefix="mlprof-it-")))
        pack(cls.folder / "model.tar", EXAMPLE / "model")
        pack(cls.folder / "source.tar", EXAMPLE / "src", ".")
        source = cls.server.call("POST", "/sources", (cls.folder / "source.tar").read_bytes(),
                                 "application/x-tar")["id"]
        cls.config = json.loads((EXAMPLE / "inferenceConfig.json").read_text())
        del cls.config["sourceDirectory"]
        cls.config["sourceId"] = source
        cls.model = cls.server.register_model("scorer", (cls.folder / "model.tar").read_bytes())
        cls.rows = cls.server.call("POST", "/datasets?name=rows",
                                   (EXAMPLE / "requests.jsonl").read_bytes(),
                                   "application/jsonl")["id"]

    def profiled(self, name, config, **more):
        # No budget is named: the traces are added to it.
        self.server.call("POST", "/profiles", {
            "name": name, "modelIds": [self.model], "inputDatasetId": self.rows,
            "inferenceConfig": config, **more})
        profile = self.server.wait_finished(name, PROFILE_S)
        self.assertEqual(profile["state"], "Succeeded", profile["error"])
        return profile

    def mlprof(self, *arguments):
        done = subprocess.run([BIN / "mlprof", *arguments, "--server", self.server.url],
                              capture_output=True, text=True, timeout=COMMAND_S)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def check_older_profiler(self):
        """It answers with nothing, and writes the trace where the model is."""
        environment = {**self.config["environment"], "name": "older-jax",
                       "python": {"pipPackages": ["jax==0.4.38", "jaxlib==0.4.38"]}}
        profile = self.profiled("older", {**self.config, "environment": environment})
        [alone] = profile["captures"]
        self.check_rows(alone)

    def check_rows(self, capture):
        """The entry script marks each of its calls itself: every row that was recorded holds
        exactly one such mark, and what XLA ran for it."""
        path = f"/captures/{capture['id']}/tools/"
        told = self.server.get(path + "rows?top=40")
        self.assertGreater(told["visitCount"], 10)
        for row in told["rows"]:
            self.assertRegex(row["topOps"][0]["name"], "fusion|dot")
            self.assertLess(row["opTimeInMs"], 1.5 * row["latencyInMs"])
            self.assertEqual(row["othersInFlight"], 0)
        self.assertEqual([row["row"] for row in told["rows"][:3]],
                         [row["row"] for row in capture["slowestRows"]])
        events = self.server.get(path + "trace_viewer")["traceEvents"]
        spans = {name: [(e["ts"], e["ts"] + e["dur"]) for e in events
                        if e.get("name", "").split(" ")[0] == name] for name in ("row", "score")}
        self.assertEqual(len(spans["row"]), told["visitCount"])
        for begin, end in spans["row"]:
            marks = [mark for mark in spans["score"] if begin <= mark[0] and mark[1] <= end]
            self.assertEqual(len(marks), 1, (begin, end, spans["score"]))
        slowest = told["rows"][0]
        of_row = self.server.get(path + f"hlo_stats?row={slowest['row']}")
        self.assertAlmostEqual(of_row["totalTimeInUs"],
                               1000 * slowest["latencyInMs"] * slowest["visits"], delta=1)
        with self.assertRaises(Refused) as refused:
            self.server.get(path + "hlo_stats?row=40")
        self.assertEqual(refused.exception.status, 404)


class CapturedProfileTest(CapturesCase):
    @long_test
    def test_traces_are_taken_alone_and_under_load_and_looked_at(self):
        profile = self.profiled("traced", self.config, objective={"concurrency": 2})
        alone, loaded = profile["captures"]
        self.assertEqual((alone["load"], alone["concurrency"]), ("alone", 1))
        self.assertEqual((loaded["load"], loaded["concurrency"]), ("objective", 2))
        for capture in (alone, loaded):
            with self.subTest(load=capture["load"]):
                self.assertGreater(capture["before"]["rows"], 10)
                self.assertGreater(capture["during"]["rows"], 10)
                self.assertGreater(capture["during"]["latencyPercentile50InMs"], 0)
                page = self.server.get(f"/captures/{capture['id']}/tools/overview_page")
                self.assertEqual(page["environment"]["deviceType"], "CPU")
                # What the layers are compiled to, whatever its number.
                self.assertRegex(page["topOps"][0]["name"], "fusion|dot")
                self.assertGreater(page["topOps"][0]["selfTimePercent"], 50)
        self.check_rows(alone)
        shown = self.mlprof("profile", "show", "traced")
        self.assertRegex(shown, r"row \d+ +[\d.]+ ms, \d+% of it in ")
        self.assertIn(f"mlprof trace {alone['id']}", shown)
        self.assertIn("topOps", self.mlprof("trace", alone["id"], "-o", "json"))
        self.mlprof("profile", "artifacts", "traced", "-t", str(self.folder / "out"))
        file = self.folder / "out" / alone["name"]
        self.assertEqual(file.stat().st_size, alone["sizeInBytes"])
        self.mlprof("trace", str(file), "--export", str(self.folder / "logs"))
        self.assertEqual(containers(self.server.instance()), [])
        self.server.call("DELETE", "/profiles/traced")
        # What was handed in above is another's; the other trace went with the profile.
        with self.assertRaises(Refused):
            self.server.get(f"/captures/{loaded['id']}")

    @long_test
    def test_traces_of_an_older_profiler_are_taken_from_its_container(self):
        self.check_older_profiler()

    @long_test
    def test_a_profiler_that_does_not_listen_fails_nothing(self):
        config = {**self.config, "profilerPort": 6001}
        profile = self.profiled("untraced", config)
        self.assertEqual(profile["captures"], [])
        [warning] = [w for w in profile["warnings"] if w["code"] == "captureFailed"]
        self.assertIn("6001", warning["message"])
        self.assertIn("start_server(6001)", warning["advice"])


@unittest.skipUnless(os.geteuid() == 0, "limits of processes need root")
class CapturedProcessTest(CapturesCase):
    options = ("--runtime", "process")

    @long_test
    def test_traces_of_an_older_profiler_are_taken_from_its_sandbox(self):
        self.check_older_profiler()


if __name__ == "__main__":
    unittest.main()
