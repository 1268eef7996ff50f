"""Device traces of a program that runs: what is taken from JAX's own profiler server, by the command
line and by a server."""

import contextlib
import json
import os
import pathlib
import socket
import subprocess
import tempfile
import time
import unittest

from jax_python import JAX, XPROF, python_with_xprof
from server import BIN, Refused, Server

READY_S = 120
COMMAND_S = 120
STOP_S = 20

# A loop of steps, each of which multiplies.
PROGRAM = """
import sys, time
import jax, jax.numpy as jnp
@jax.jit
def live_score(x, w):
    return jnp.tanh(x @ w).sum()
x, w = jnp.ones((256, 512)), jnp.ones((512, 512))
live_score(x, w).block_until_ready()
jax.profiler.start_server(int(sys.argv[1]))
print("ready", flush=True)
step = 0
while True:
    with jax.profiler.StepTraceAnnotation("live_step", step_num=step):
        live_score(x, w).block_until_ready()
    step += 1
    time.sleep(0.005)
"""

# What JAX itself reads in the file: the steps' numbers and the operations' names.
READ_BY_JAX = """
import json, sys
from jax.profiler import ProfileData
steps, ops = [], set()
for plane in ProfileData.from_file(sys.argv[1]).planes:
    for line in plane.lines:
        for event in line.events:
            stats = dict(event.stats)
            if event.name == "live_step":
                steps.append(stats["step_num"])
            if "hlo_op" in stats:
                ops.add(stats["hlo_op"])
print(json.dumps({"steps": sorted(steps), "ops": sorted(ops)}))
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def running(python, log):
    """A program with a profiler server; its address."""
    port = free_port()
    program = subprocess.Popen([str(python), "-c", PROGRAM, str(port)], stdout=subprocess.PIPE,
                               stderr=log, env={**os.environ, "JAX_PLATFORMS": "cpu"})
    try:
        word = program.stdout.readline()  # at its end too
        assert word == b"ready\n", f"the program ended: {log.name}"
        yield f"127.0.0.1:{port}", program
    finally:
        program.kill()
        program.wait(READY_S)
        program.stdout.close()


class LiveCaptureTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.python = python_with_xprof()
        if cls.python is None:
            raise unittest.SkipTest(f"NOT TESTED: {JAX} and {XPROF} cannot be installed here, so "
                                    "there is no profiler server to take a trace from")
        cls.folder = pathlib.Path(cls.enterClassContext(
            tempfile.TemporaryDirectory(prefix="mlprof-it-")))
        log = cls.enterClassContext(open(cls.folder / "program.log", "wb"))
        cls.address, cls.program = cls.enterClassContext(running(cls.python, log))
        cls.server = Server(options=("--capture-address", cls.address)).start()
        cls.addClassCleanup(cls.server.close)

    def capture(self, *arguments, status=0):
        done = subprocess.run([BIN / "mlprof", "capture", *arguments, "--server", self.server.url],
                              capture_output=True, text=True, timeout=COMMAND_S)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def check_steps(self, document):
        """That steps of the loop were seen, one after the other."""
        numbers = [int(step["name"].split()[-1]) for step in document["steps"]]
        self.assertGreater(len(numbers), 3)
        self.assertEqual(numbers, list(range(numbers[0], numbers[0] + len(numbers))))
        self.assertTrue(all("live_step" in step["name"] for step in document["steps"]))

    def test_the_command_line_takes_a_trace_and_shows_it(self):
        logs = self.folder / "logs"
        shown = self.capture(self.address, "--duration-ms", "1000", "-t", str(logs), "-o", "json")
        page = json.loads(shown.stdout)
        self.assertEqual(page["environment"]["deviceType"], "CPU")
        self.assertGreater(page["steps"]["count"], 3)
        self.assertTrue(page["topOps"])
        [file] = logs.glob("plugins/profile/*/*.xplane.pb")
        document = json.loads(subprocess.run(
            [BIN / "mlprof", "trace", file, "--tool", "input_pipeline_analyzer", "-o", "json",
             "--server", self.server.url], capture_output=True, check=True).stdout)
        self.check_steps(document)
        read = json.loads(subprocess.run([str(self.python), "-c", READ_BY_JAX, str(file)],
                                         capture_output=True, check=True).stdout)
        self.assertEqual({op["name"] for op in page["topOps"]}, set(read["ops"]))
        # The trace may have cut the first and the last.
        self.assertEqual([int(step["name"].split()[-1]) for step in document["steps"]],
                         read["steps"][1:-1])
        memory = json.loads(subprocess.run(
            [BIN / "mlprof", "trace", file, "--tool", "memory_viewer", "-o", "json",
             "--server", self.server.url], capture_output=True, check=True).stdout)
        self.assertTrue(any("live_score" in module for module in memory["modules"]))

    def test_a_server_takes_a_trace_of_an_address_that_it_was_allowed(self):
        made = self.server.call("POST", "/captures",
                                   {"address": self.address, "durationSeconds": 0.5})
        self.check_steps(self.server.call(
            "GET", f"/captures/{made['id']}/tools/input_pipeline_analyzer"))
        with self.assertRaises(Refused) as refused:
            self.server.call("POST", "/captures", {"address": f"127.0.0.1:{free_port()}"})
        self.assertEqual(refused.exception.status, 403)

    def refused_beside(self, start, ask, words):
        """Asks beside a long capture until it is refused in these words; the long capture. Where it
        was the one that came second, it is begun again."""
        deadline = time.monotonic() + COMMAND_S
        first = start()
        told = ""
        while words not in told and time.monotonic() < deadline:
            if first.poll() is not None:
                first.communicate()
                first = start()
            told = ask()
        self.assertIn(words, told)
        return first

    def test_a_server_takes_one_trace_at_a_time_and_stops_meanwhile(self):
        with contextlib.closing(Server(options=("--capture-address", self.address))) as server:
            server.start()

            def start():
                order = {"address": self.address, "durationSeconds": 300}
                return subprocess.Popen(
                    ["curl", "-sS", "-o", "/dev/null", "-w", "%{http_code}", "-H",
                     "Content-Type: application/json", "-d", json.dumps(order),
                     server.url + "/captures"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

            def ask():
                try:
                    server.call("POST", "/captures",
                                {"address": self.address, "durationSeconds": 0.01})
                except Refused as refused:
                    return f"{refused.status} {refused.problem['detail']}"
                return ""

            first = self.refused_beside(start, ask, "409 another trace is being taken")
            server.get("/healthz")  # other workers answer
            began = time.monotonic()
            server.stop()
            self.assertLess(time.monotonic() - began, STOP_S)
            self.assertEqual(first.communicate(timeout=COMMAND_S)[0], b"503")

    def test_a_second_profile_of_a_program_is_told_that_one_runs(self):
        def start():
            return subprocess.Popen([BIN / "mlprof", "capture", self.address, "--duration-ms",
                                     "4000", "--server", self.server.url],
                                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

        def ask():
            done = subprocess.run([BIN / "mlprof", "capture", self.address, "--duration-ms", "10",
                                   "--server", self.server.url], capture_output=True, text=True,
                                  timeout=COMMAND_S)
            return f"{done.returncode} {done.stderr.splitlines()[-1]}"

        first = self.refused_beside(start, ask, "1 mlprof: another profile runs")
        first.communicate(timeout=COMMAND_S)
        self.assertEqual(first.returncode, 0)

    def test_a_command_that_is_ended_frees_the_program_for_the_next(self):
        command = subprocess.Popen(
            [BIN / "mlprof", "capture", self.address, "--duration-seconds", "300", "--server",
             self.server.url], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.assertIn("recording", command.stderr.readline())
        command.kill()
        command.communicate(timeout=COMMAND_S)
        for _ in range(50):  # the program sees it within milliseconds
            done = subprocess.run([BIN / "mlprof", "capture", self.address, "--duration-ms", "200",
                                   "--server", self.server.url], capture_output=True, text=True,
                                  timeout=COMMAND_S)
            if "another profile runs" not in done.stderr:
                break
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_program_that_ends_meanwhile_is_told(self):
        with open(self.folder / "ending.log", "wb") as log, \
                running(self.python, log) as (address, program):
            command = subprocess.Popen(
                [BIN / "mlprof", "capture", address, "--duration-ms", "60000", "--server",
                 self.server.url], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            self.assertIn("recording", command.stderr.readline())
            program.kill()
            told = command.communicate(timeout=COMMAND_S)[1]
        self.assertEqual(command.returncode, 4, told)
        self.assertRegex(told, "was lost|closed it|no profiler server is reached")

    def test_what_is_no_profiler_server_is_told(self):
        done = self.capture(self.server.url.removeprefix("http://"), status=2)
        self.assertIn("is no profiler server", done.stderr)


if __name__ == "__main__":
    unittest.main()
