"""mlprof's own answer to a target, by its command line, and the traces that its server stored."""

import json
import pathlib
import subprocess
import sys
import threading
import time

import build
import place as places
from probe import BIN, ROOT_TESTS

# Behind the benchmark's own: both have a `checks`.
sys.path.append(str(ROOT_TESTS / "integration"))
from server import Server  # noqa: E402

PROFILE_LIMIT_S = 1800
MOST_POINTS = 100_000


class Profiler:
    """A mlprof-server on a data directory of its own; the with statement ends it."""

    def __init__(self, results):
        results = pathlib.Path(results).resolve()
        self.server = Server(data=results / "server")

    def __enter__(self):
        self.server.start()
        return self

    def __exit__(self, *_):
        self.server.close()

    def profile(self, folder, budget_seconds):
        """{"recommendation", "state", …, "build", "image", "samples", "trials"}."""
        target = folder.target
        self._mlprof("model", "register", "-n", target.name, "-p",
                     folder.model if target.model else folder.model / "weights.bin",
                     "--ic", folder.config)
        self._mlprof("dataset", "register", "-n", target.name, "-f", folder.rows)
        name = f"{target.name}-{int(time.time())}"
        command = ["profile", "-m", target.name, "--idi", target.name, "-n", name]
        if budget_seconds:
            command += ["--budget-seconds", budget_seconds]
        if target.start_within_s:
            command += ["--start-within-seconds", target.start_within_s]
        if target.rate:
            command += ["--rps", target.rate]
        elif target.concurrency > 1:
            command += ["--concurrency", target.concurrency]
        if target.p95_ms:
            command += ["--p95-ms", target.p95_ms]
        measured = {"version": self.server.get("/version")["version"], "commit": build.commit(),
                    "budgetSeconds": budget_seconds}
        began = time.monotonic()
        with _ImageWatch(self.server.instance()) as watch:
            text = self._mlprof(*command, "-o", "json", accept=(0, 1, 5, 6))
        profile = json.loads(text)
        return {"name": name, "state": profile["state"], "build": measured,
                "image": watch.image, "wallSeconds": time.monotonic() - began,
                "recommendation": profile.get("recommendation"),
                "warnings": [warning["code"] for warning in profile.get("warnings", [])],
                "error": profile.get("error"), "noAnswer": profile.get("noAnswer"),
                "measurements": profile.get("measurements"),
                "findings": profile.get("findings"), "host": profile.get("host"),
                "startedTime": profile.get("startedTime"),
                "finishedTime": profile.get("finishedTime"),
                "samples": self.server.get(
                    f"/profiles/{name}/samples?maxPoints={MOST_POINTS}")["series"],
                "trials": self.server.get(f"/profiles/{name}/trials?top=500")["value"]}

    def _mlprof(self, *arguments, accept=(0,)):
        done = subprocess.run([BIN / "mlprof", *map(str, arguments), "--server", self.server.url],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=PROFILE_LIMIT_S, check=False)
        if done.returncode not in accept or not done.stdout:
            raise RuntimeError(f"mlprof {arguments[0]} ended with {done.returncode}: "
                               + done.stderr.decode(errors="replace")[-2000:])
        return done.stdout.decode()


class _ImageWatch:
    """Looks now and then which image a profile's containers have."""

    def __init__(self, instance):
        self.instance = instance
        self.image = None
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self._watch)

    def _watch(self):
        while self.image is None and not self.ended.wait(1):
            self.image = places.image_of_profile(self.instance)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()
