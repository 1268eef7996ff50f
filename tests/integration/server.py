"""A real mlprof-server of a test's own: its process, its data directory, its REST interface."""

import contextlib
import json
import os
import pathlib
import re
import signal
import sqlite3
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("MLPROF_BIN", ROOT / "build/release/bin"))
START_DEADLINE_S = 60
STOP_DEADLINE_S = 60
FINISHED = {"Succeeded", "Failed", "Canceled", "TimedOut"}


class Refused(Exception):
    """An answer other than 2xx; `problem` is its application/problem+json."""

    def __init__(self, status, problem):
        super().__init__(f"{status}: {problem}")
        self.status = status
        self.problem = problem


class Server:
    """Started by start(), with more `options`, behind the words of another command (`prefix`); the
    data outlives the process, so that it can be started again on it."""

    def __init__(self, data=None, options=(), prefix=()):
        self.folder = tempfile.TemporaryDirectory(prefix="mlprof-it-")
        self.data = pathlib.Path(data or self.folder.name) / "data"
        self.log = pathlib.Path(self.folder.name) / "server.log"
        self.options = options
        self.prefix = prefix
        self.process = None
        self.url = None

    def start(self):
        began = self.log.stat().st_size if self.log.exists() else 0
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                self.command(), stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        deadline = time.monotonic() + START_DEADLINE_S
        while time.monotonic() < deadline:
            match = re.search(rb"listening on (http://\S+)", self.log.read_bytes()[began:])
            if match:
                self.url = match.group(1).decode().rstrip("/")
                return self
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        raise AssertionError("the server did not start:\n" + self.tail())

    def command(self):
        return [*self.prefix, BIN / "mlprof-server", "--listen", "127.0.0.1:0",
                "--data-dir", self.data, *self.options]

    def tls_url(self):
        return re.findall(rb"listening on (https://\S+)", self.log.read_bytes())[-1].decode()

    def stop(self):
        """Asks it to end, as an operator would; fails if it does not."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(STOP_DEADLINE_S)

    def kill(self):
        self.process.kill()
        self.process.wait(STOP_DEADLINE_S)

    def close(self):
        try:
            self.stop()
        finally:
            if self.process.poll() is None:
                self.kill()
            remove_containers(self.instance())
            unmount_below(self.data)
            self.folder.cleanup()

    def tail(self, lines=30):
        return "\n".join(self.log.read_text(errors="replace").split("\n")[-lines:])

    def instance(self):
        """The id that labels this data directory's containers."""
        database = self.data / "mlprof.db"
        if not database.exists():
            return None
        with contextlib.closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as rows:
            return rows.execute("SELECT id FROM instance").fetchone()[0]

    # --- REST ---

    def call(self, method, path, body=None, content_type="application/json", headers=None):
        """The decoded answer, text where it is no JSON; raises Refused."""
        if isinstance(body, (dict, list)):
            body = json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data=body, method=method,
                                         headers=headers or {})
        if body is not None:
            request.add_header("Content-Type", content_type)
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return decoded(response.read(), response.headers.get_content_type())
        except urllib.error.HTTPError as error:
            raise Refused(error.code, decoded(error.read(), "application/json")) from None
        except urllib.error.URLError as error:
            ended = self.process and self.process.poll()
            if ended is None:
                raise
            raise AssertionError(f"the server ended with {ended}:\n{self.tail()}") from error

    def get(self, path):
        return self.call("GET", path)

    def register_model(self, name, tar):
        return self.call("POST", f"/models?name={name}", tar, "application/x-tar")["id"]

    def register_rows(self, name, rows):
        return self.call("POST", f"/datasets?name={name}", {"rows": rows})["id"]

    def profile(self, name, model, dataset, config, **more):
        """Creates a profile; a short budget unless `more` says otherwise."""
        body = {"name": name, "modelIds": [model], "inputDatasetId": dataset,
                "inferenceConfig": config, "budgetSeconds": 30}
        body.update(more)
        return self.call("POST", "/profiles", body)

    def wait_finished(self, name, seconds=180):
        return self.wait_until(name, lambda p: p["state"] in FINISHED, seconds)

    def wait_until(self, name, condition, seconds=120):
        deadline = time.monotonic() + seconds
        while True:
            profile = self.get(f"/profiles/{name}")
            if condition(profile):
                return profile
            if time.monotonic() > deadline:
                raise AssertionError(f"after {seconds} s still {profile['state']}: "
                                     f"{profile.get('progress')}\n{self.tail()}")
            time.sleep(0.1)


def decoded(body, content_type):
    if content_type.endswith("json") and body:
        return json.loads(body)
    return body.decode(errors="replace")


def unmount_below(folder):
    """What a killed server leaves mounted for the next one to remove."""
    mounts = pathlib.Path("/proc/self/mountinfo").read_text().split("\n")
    for place in (line.split()[4] for line in mounts if line):
        if place.startswith(f"{folder}/"):
            subprocess.run(["umount", "-l", place], check=False)


def remove_containers(instance):
    if not instance:
        return
    left = containers(instance)
    if left:
        subprocess.run(["docker", "rm", "-f", *left], stdout=subprocess.DEVNULL, check=False)


def containers(instance):
    """The ids of all containers, running or not, that one data directory's server made."""
    listed = subprocess.run(
        ["docker", "ps", "-aq", "--filter", f"label=mlprof.instance={instance}"],
        stdout=subprocess.PIPE, check=True)
    return listed.stdout.decode().split()
