"""Servers of several processes, as people run them: every worker has a row before anything is judged."""

import io
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import unittest

import target
from checks import check_numbers, check_recommendation
from long_tests import long_test
from server import FINISHED, Server

MIB = 1 << 20
BASE = "mlprof-base:1"
PACKAGES = ("gunicorn", "uvicorn")
MOUNT = "/serving"
INSTALL_DEADLINE_S = 600
# Half as much again as a quiet machine takes to prove an answer.
BUDGET_S = 150
PROFILE_DEADLINE_S = 900
# Who serves is asked here, not how fast on a busy machine: far above what any of them takes, 44 ms of
# uvicorn's workers included, whose small answers wait for the acknowledgement of their head. And below
# the 91 ms of rows that a tenth of a core throttles: at that limit three interpreters would take half a
# minute to start in each container.
SLOW = {"latencyInMs": {"p95": 80}, "startWithinSeconds": 4}
# A model that each worker loads at its first request, or at its import where it is told so.
APP = """
import os, threading
lock, weights = threading.Lock(), []

def work():
    with lock:
        if not weights:
            weights.append(bytearray(os.urandom(1)) * (40 << 20))
    sum(range(20000))

if os.environ.get("LOAD_AT_IMPORT"):
    work()

def wsgi(environ, start_response):
    environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    if environ["REQUEST_METHOD"] == "POST":
        work()
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", "2")])
    return [b"ok"]

async def asgi(scope, receive, send):
    if scope["type"] != "http":
        return
    while (await receive()).get("more_body"):
        pass
    if scope["method"] == "POST":
        work()
    await send({"type": "http.response.start", "status": 200,
                "headers": [(b"content-type", b"text/plain"), (b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})
"""
SCORE = """
import json
weights = []

def init():
    pass

def run(data):
    if not weights:
        weights.append(bytearray(b"x") * (40 << 20))
    return sum(range(20000)) + len(json.loads(data)["data"])
"""


def tar_of(folder):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        tar.add(folder, ".")
    return out.getvalue()


def source_tar():
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        entry = tarfile.TarInfo("score.py")
        entry.size = len(SCORE)
        tar.addfile(entry, io.BytesIO(SCORE.encode()))
    return out.getvalue()


class WorkersTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server().start()
        cls.addClassCleanup(cls.server.close)

    def codes(self, profile):
        return [warning["code"] for warning in profile["warnings"]]

    def check_workers(self, profile, count, least_each_mib, most_each_mib):
        self.assertIsNone(profile["error"])
        answer = check_numbers(self, profile)
        workers = answer["workers"]
        self.assertEqual((workers["count"], workers["reached"]), (count, count), workers)
        each = workers["perWorkerMemoryInBytes"] / MIB
        self.assertGreaterEqual(each, least_each_mib)
        self.assertLessEqual(each, most_each_mib)
        self.assertTrue(answer["verified"], profile["warnings"])
        self.assertEqual(profile["objective"]["connections"], "both")
        for code in ("workersNotReached", "workersLost"):
            self.assertNotIn(code, self.codes(profile))
        return answer


    def wait_verified(self, name):
        """The profile once its answer is proven: what could be lowered yet is another test's."""
        profile = self.server.wait_until(
            name, lambda p: p["state"] in FINISHED or (p["recommendation"] or {}).get("verified"),
            PROFILE_DEADLINE_S)
        if profile["state"] not in FINISHED:
            self.server.call("POST", f"/profiles/{name}/cancel")
            self.server.wait_finished(name)
        return profile


class TargetWorkersTest(WorkersTest):
    @classmethod
    def setUpClass(cls):
        target.make_image()
        cls.addClassCleanup(target.remove_image)
        super().setUpClass()
        cls.model = cls.server.register_model("weights", target.model_tar())
        cls.rows = cls.server.register_rows("rows", target.rows("burn=2"))

    @long_test
    def test_four_that_load_200_mib_at_their_first_request_are_all_in_the_answer(self):
        config = target.config("--workers", "4", "--worker-lazy-mib", "200")
        self.server.profile("lazy", self.model, self.rows, config, objective=SLOW,
                            budgetSeconds=BUDGET_S)
        answer = self.check_workers(self.server.wait_finished("lazy", 600), 4, 195, 210)
        memory = answer["requestedMemoryInBytes"]
        self.assertGreaterEqual(memory, 816 * MIB)
        self.assertLessEqual(memory, 1000 * MIB)
        asked = self.server.call("POST", "/profiles/lazy/what-if", {"workers": 8})
        self.assertAlmostEqual(asked["requestedMemoryInBytes"] - memory, 800 * MIB, delta=64 * MIB)
        self.assertFalse(asked["verified"])

    def test_one_process_has_no_workers_to_tell_of(self):
        self.server.profile("one", self.model, self.rows, target.config(), budgetSeconds=30)
        profile = self.server.wait_finished("one")
        self.assertNotIn("workers", check_recommendation(self, profile))
        self.assertEqual(profile["objective"]["connections"], "keepAlive")


class PythonWorkersTest(WorkersTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.rows = cls.server.register_rows("rows", [f'{{"data": [{i}]}}' for i in range(20)])
        folder = tempfile.TemporaryDirectory(prefix="mlprof-it-")
        cls.addClassCleanup(folder.cleanup)
        serving = pathlib.Path(folder.name) / "serving"
        serving.mkdir()
        # Of pure Python, so any version of it may install them.
        subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-compile",
                        "--disable-pip-version-check", "--target", serving, *PACKAGES],
                       check=True, timeout=INSTALL_DEADLINE_S)
        (serving / "app.py").write_text(APP)
        cls.model = cls.server.register_model("serving", tar_of(serving))

    def run_server(self, name, *command, **variables):
        config = {"image": BASE, "command": ["python3", "-m", *command], "port": 8000,
                  "scoringPath": "/", "contentType": "application/json",
                  "modelMountPath": MOUNT,
                  "environmentVariables": {"PYTHONPATH": MOUNT,
                                           "PYTHONDONTWRITEBYTECODE": "1", **variables},
                  "startTimeoutSeconds": 30, "requestTimeoutSeconds": 10}
        self.server.profile(name, self.model, self.rows, config, objective=SLOW,
                            budgetSeconds=BUDGET_S)
        return self.wait_verified(name)

    # Named so that it comes first: it makes the base image where there is none.
    def test_a_azures_server_with_three_workers(self):
        source = self.server.call("POST", "/sources", source_tar(), "application/x-tar")["id"]
        config = {"entryScript": "score.py", "sourceId": source,
                  "environment": {"python": {"pipPackages": []},
                                  "environmentVariables": {"WORKER_COUNT": "3"}}}
        self.server.profile("azure", self.model, self.rows, config, objective=SLOW,
                            budgetSeconds=BUDGET_S)
        self.check_workers(self.wait_verified("azure"), 3, 45, 200)

    def test_gunicorn_with_four_sync_workers(self):
        profile = self.run_server("sync", "gunicorn", "-w", "4", "-b", "0.0.0.0:8000",
                                  "--worker-tmp-dir", "/dev/shm", "app:wsgi")
        answer = self.check_workers(profile, 4, 42, 80)
        self.assertGreaterEqual(answer["requestedMemoryInBytes"], 4 * 42 * MIB)

    @long_test
    def test_gunicorn_with_a_preloaded_model_that_its_workers_share(self):
        profile = self.run_server("preload", "gunicorn", "-w", "4", "-b", "0.0.0.0:8000",
                                  "--worker-tmp-dir", "/dev/shm", "--preload", "app:wsgi",
                                  LOAD_AT_IMPORT="1")
        self.check_workers(profile, 4, 0.5, 30)

    @long_test
    def test_gunicorn_that_replaces_its_workers(self):
        profile = self.run_server("replaced", "gunicorn", "-w", "2", "-b", "0.0.0.0:8000",
                                  "--worker-tmp-dir", "/dev/shm", "--max-requests", "300",
                                  "app:wsgi")
        answer = check_recommendation(self, profile)
        self.assertEqual(answer["workers"]["count"], 2)
        self.assertIn("workersReplaced", self.codes(profile))
        self.assertNotIn("workersLost", self.codes(profile))

    @long_test
    def test_uvicorn_with_two_workers(self):
        profile = self.run_server("uvicorn", "uvicorn", "--workers", "2", "--host", "0.0.0.0",
                                  "--port", "8000", "--log-level", "warning", "app:asgi")
        self.check_workers(profile, 2, 42, 90)


del WorkersTest  # what both have in common is no test

if __name__ == "__main__":
    unittest.main()
