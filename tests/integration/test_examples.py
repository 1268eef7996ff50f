"""The two examples as a newcomer runs them: by the command line alone, and by curl alone."""

import json
import os
import pathlib
import subprocess
import tarfile
import tempfile
import time
import unittest

from checks import check_recommendation
from long_tests import long_test
from server import BIN, FINISHED, ROOT, Server, containers

SENTIMENT = ROOT / "examples/sentiment"
IMAGE_SERVER = ROOT / "examples/image-server"
PROFILE_DEADLINE_S = 600
# Twice what a quiet machine takes to prove an answer.
PROOF_BUDGET_S = 240


class ExamplesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        for needed in (SENTIMENT / "model/sentiment.joblib", SENTIMENT / "requests.jsonl"):
            if not needed.exists():
                raise AssertionError(f"{needed} is not there: train the example first, see "
                                     f"{SENTIMENT / 'README.md'}")
        subprocess.run([IMAGE_SERVER / "make-image"], stdout=subprocess.DEVNULL, check=True)

    def setUp(self):
        self.home = tempfile.TemporaryDirectory(prefix="mlprof-it-")
        self.addCleanup(self.home.cleanup)
        self.environment = {
            **os.environ, "HOME": self.home.name, "XDG_DATA_HOME": self.home.name + "/data",
            "XDG_CONFIG_HOME": self.home.name + "/config", "PATH": f"{BIN}:{os.environ['PATH']}"}
        self.environment.pop("MLPROF_SERVER", None)

    def mlprof(self, *arguments, status=0):
        """Runs the command line with a private server; its stdout."""
        done = subprocess.run(["mlprof", *map(str, arguments)], env=self.environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=PROFILE_DEADLINE_S, check=False)
        self.assertEqual(done.returncode, status, told_by(done))
        return done.stdout.decode()

    def test_sentiment_by_the_command_line_with_a_private_server(self):
        self.mlprof("model", "register", "-n", "sentiment", "-p", SENTIMENT / "model",
                    "--ic", SENTIMENT / "inferenceConfig.json", "--tag", "kind=text")
        self.mlprof("dataset", "register", "-n", "requests", "-f", SENTIMENT / "requests.jsonl")
        dataset = json.loads(self.mlprof("dataset", "show", "requests", "-o", "json"))
        self.assertEqual((dataset["rowCount"], dataset["distinctRowCount"]), (200, 200))

        profile = json.loads(self.mlprof("profile", "-m", "sentiment", "--idi", "requests", "-n",
                                         "first", "--budget-seconds", PROOF_BUDGET_S,
                                         "--tag-model", "-o", "json"))

        answer = check_recommendation(self, profile)
        self.assertTrue(answer["verified"])
        self.assertEqual(profile["measurements"]["rowsReplayed"], 200)
        self.assertGreater(answer["requestedMemoryInBytes"], 64 << 20)
        model = json.loads(self.mlprof("model", "show", "sentiment", "-o", "json"))
        self.assertEqual(model["tags"], {"kind": "text", **answer["tags"]})
        shown = self.mlprof("profile", "show", "first")
        self.assertIn(f"{answer['requestedCpu']:g} core", shown)
        self.mlprof("profile", "show", "nobody", status=3)
        self.mlprof("profile", "export", "first", "-t", self.home.name + "/out", "--format", "json")
        self.assertTrue(any(pathlib.Path(self.home.name, "out").iterdir()))

    @long_test
    def test_image_by_the_command_line_with_paths_for_ids(self):
        profile = json.loads(self.mlprof(
            "profile", "-m", IMAGE_SERVER / "made/fingerprints.bin",
            "--idi", IMAGE_SERVER / "made/rows.jsonl", "--ic", IMAGE_SERVER / "inferenceConfig.json",
            "--budget-seconds", "60", "-o", "json"))
        check_recommendation(self, profile)

    def test_sentiment_by_curl_alone(self):
        server = Server().start()
        self.addCleanup(server.close)
        folder = pathlib.Path(self.home.name)
        pack(folder / "model.tar", SENTIMENT / "model")
        pack(folder / "source.tar", SENTIMENT / "src", ".")
        config = json.loads((SENTIMENT / "inferenceConfig.json").read_text())
        del config["sourceDirectory"]
        config["sourceId"] = curl(server, "/sources", "-H", "Content-Type: application/x-tar",
                                  "--data-binary", f"@{folder}/source.tar")["id"]
        model = curl(server, "/models?name=sentiment", "-H", "Content-Type: application/x-tar",
                     "--data-binary", f"@{folder}/model.tar")["id"]
        dataset = curl(server, "/datasets?name=requests", "-H", "Content-Type: application/jsonl",
                       "--data-binary", f"@{SENTIMENT}/requests.jsonl")["id"]
        accepted = curl(server, "/profiles", "-H", "Content-Type: application/json", "-d",
                        json.dumps({"name": "p1", "modelIds": [model], "inputDatasetId": dataset,
                                    "inferenceConfig": config, "budgetSeconds": 60}))
        self.assertIn(accepted["state"], {"Queued", "Preparing"})

        deadline = time.monotonic() + PROFILE_DEADLINE_S
        while (profile := curl(server, "/profiles/p1"))["state"] not in FINISHED:
            self.assertLess(time.monotonic(), deadline, profile["progress"])
            time.sleep(0.5)

        answer = check_recommendation(self, profile)
        curl(server, "/profiles/p1/apply", "-X", "POST")
        self.assertEqual(curl(server, "/models/sentiment")["tags"], answer["tags"])
        rows = curl(server, "/profiles/p1/rows?top=500")
        self.assertEqual(len(rows["value"]), 200)
        self.assertTrue(curl(server, "/profiles/p1/trials")["value"])
        self.assertTrue(curl(server, "/profiles/p1/samples?maxPoints=50")["series"]["cpuCores"])
        self.assertEqual(containers(server.instance()), [])


def told_by(done):
    """What a command printed; of a profile's JSON, which is long, the warnings again at the end."""
    told = done.stdout.decode() + done.stderr.decode(errors="replace")
    try:
        warnings = json.loads(done.stdout)["warnings"]
    except (ValueError, KeyError, TypeError):
        return told
    return told + "".join(f"{w['code']}: {w['message']}\n" for w in warnings)


def pack(tar, folder, name=None):
    with tarfile.open(tar, "w") as out:
        out.add(folder, name or folder.name,
                filter=lambda entry: None if "__pycache__" in entry.name else entry)


def curl(server, path, *arguments):
    done = subprocess.run(["curl", "-sS", "--fail-with-body", *arguments, server.url + path],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{path}: {done.stderr.decode()} {done.stdout.decode()}")
    return json.loads(done.stdout)


if __name__ == "__main__":
    unittest.main()
