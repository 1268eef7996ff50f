"""Device traces: what `mlprof trace` says beside what XProf itself makes of the same file."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from jax_python import JAX, XPROF, python_with_xprof
from made_traces import write_gpu, write_tpu_that_waits, write_uneven_tpu
from server import BIN, ROOT, Server

FIXTURES = ROOT / "tests/fixtures/device_traces"
TOLERANCE = 1e-3
XPROF_SECONDS, MLPROF_SECONDS = 180, 120

ASK_XPROF = """
import json, sys
from xprof.convert import raw_to_tool_data
path, tool, options = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
raw_to_tool_data.xspace_to_tool_names([path])  # writes the programs out, which memory_viewer reads
data, _ = raw_to_tool_data.xspace_to_tool_data([path], tool, {**options, "use_saved_result": False})
sys.stdout.write(data.decode() if isinstance(data, bytes) else data)
"""

TRACE_JAX = """
import sys, time
import jax, jax.numpy as jnp
@jax.jit
def score(x, w):
    return jnp.tanh(x @ w).sum()
x, w = jnp.ones((256, 512)), jnp.ones((512, 512))
score(x, w).block_until_ready()
with jax.profiler.trace(sys.argv[1]):
    for step in range(12):
        with jax.profiler.StepTraceAnnotation("serve", step_num=step):
            with jax.profiler.TraceAnnotation("load", _ipl_stage_id=900001,
                                              _ipl_stage_name="load", _ipl_stage_cat="read"):
                time.sleep(0.004)
            score(x, w).block_until_ready()
"""


def rows(table):
    ids = [column["id"] for column in table["cols"]]
    return [dict(zip(ids, (cell["v"] for cell in row["c"]))) for row in table["rows"]]


class TracesCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server().start()
        cls.addClassCleanup(cls.server.close)
        folder = tempfile.TemporaryDirectory(prefix="mlprof-it-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)

    def mlprof(self, file, *arguments):
        done = subprocess.run([BIN / "mlprof", "trace", file, *arguments, "--server",
                               self.server.url], capture_output=True, text=True,
                              timeout=MLPROF_SECONDS)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def ours(self, file, tool, *arguments):
        return json.loads(self.mlprof(file, "--tool", tool, "-o", "json", *arguments))


class DeviceTracesTest(TracesCase):
    def test_a_log_directory_holds_the_trace_as_it_was(self):
        logs = self.folder / "exported"
        self.mlprof(FIXTURES / "jax_cpu.xplane.pb", "--export", str(logs))
        [copy] = logs.glob("plugins/profile/*/*")
        self.assertTrue(copy.name.endswith(".xplane.pb"))
        self.assertEqual(copy.read_bytes(), (FIXTURES / "jax_cpu.xplane.pb").read_bytes())

    def test_chromes_json_holds_every_event_and_a_window_fewer(self):
        file = FIXTURES / "jax_cpu.xplane.pb"
        events = {}
        for name, options in {"all": (), "window": ("--window", "10..60"),
                              "coarse": ("--resolution", "200")}.items():
            target = self.folder / f"{name}.json"
            self.mlprof(file, "--chrome", str(target), *options)
            events[name] = [event for event in json.loads(target.read_text())["traceEvents"]
                            if event.get("ph") == "X"]
        self.assertEqual(len(events["all"]), 2233)
        self.assertLess(len(events["window"]), len(events["all"]))
        self.assertLess(len(events["coarse"]), len(events["all"]))
        for event in events["window"]:
            self.assertLessEqual(event["ts"], 60_000)
            self.assertGreaterEqual(event["ts"] + event["dur"], 10_000)

    def test_what_is_no_trace_is_told(self):
        whole = (FIXTURES / "tpu_synth_flow.xplane.pb").read_bytes()
        for name, content, said in [("empty", b"", "empty"), ("text", b"hello there", "no XSpace"),
                                    ("cut", whole[:-5], "cut or damaged")]:
            with self.subTest(name=name):
                file = self.folder / f"{name}.xplane.pb"
                file.write_bytes(content)
                done = subprocess.run([BIN / "mlprof", "trace", file, "--server", self.server.url],
                                      capture_output=True, text=True, timeout=MLPROF_SECONDS)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(said, done.stderr)


class BesideXprofTest(TracesCase):
    @classmethod
    def setUpClass(cls):
        cls.python = python_with_xprof()
        if cls.python is None:
            raise unittest.SkipTest(f"{XPROF} and {JAX} cannot be installed here, so there is "
                                    "nobody to compare with")
        super().setUpClass()

    def theirs(self, file, tool, **options):
        # XProf writes beside what it reads, and takes what lies there for the trace's.
        name = pathlib.Path(file).name
        copy = self.folder / "peer" / name / name
        copy.parent.mkdir(exist_ok=True, parents=True)
        copy.write_bytes(pathlib.Path(file).read_bytes())
        done = subprocess.run([str(self.python), "-c", ASK_XPROF, str(copy), tool,
                               json.dumps(options)], capture_output=True, text=True,
                              timeout=XPROF_SECONDS,
                              env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"})
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        return json.loads(done.stdout)

    def near(self, ours, theirs, what):
        self.assertLessEqual(abs(ours - theirs), TOLERANCE * abs(theirs) + 1e-9, what)

    def compare_steps(self, file):
        ours = self.ours(file, "input_pipeline_analyzer")
        table = self.theirs(file, "input_pipeline_analyzer")[1]
        theirs = rows(table)
        # Of GPUs XProf tells the number alone.
        self.assertEqual([step["name"].split()[-1] for step in ours["steps"]],
                         [row["stepnum"].split()[-1] for row in theirs])
        names = {"tcComputeTimeMs": "computeInMs", "tcInfeedTimeMs": "inputInMs",
                 "tcIdleTimeMs": "idleInMs", "stepTimeMs": "stepTimeInMs",
                 "hostComputeTimeMs": "hostComputeInMs", "infeedTimeMs": "inputInMs",
                 "otherTimeMs": "otherInMs", "deviceComputeTimeMs": "deviceComputeInMs",
                 "deviceCollectivesTimeMs": "collectivesInMs", "outfeedTimeMs": "outputInMs",
                 "infeedPercentAverage": "inputPercent"}
        for step, row in zip(ours["steps"], theirs):
            for other, mine in names.items():
                if other in row:
                    self.near(step[mine], row[other], f"{step['name']} {mine}")
        return ours, theirs

    def fresh_trace(self):
        logs = self.folder / "logs"
        done = subprocess.run([str(self.python), "-c", TRACE_JAX, str(logs)], capture_output=True,
                              text=True, timeout=XPROF_SECONDS,
                              env={**os.environ, "JAX_PLATFORMS": "cpu"})
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        return next(logs.glob("plugins/profile/*/*.xplane.pb"))

    def test_steps_of_the_fixtures(self):
        for name in ("jax_cpu", "tpu_synth_flow"):
            with self.subTest(name=name):
                self.compare_steps(FIXTURES / f"{name}.xplane.pb")

    def test_steps_of_a_gpu_and_its_kernels(self):
        file = self.folder / "gpu.xplane.pb"
        write_gpu(file)
        ours, _ = self.compare_steps(file)
        self.assertEqual(len(ours["steps"]), 8)
        page, peer = self.ours(file, "overview_page"), self.theirs(file, "overview_page")
        self.assertEqual([op["name"] for op in page["topOps"]],
                         [row["operation"] for row in rows(peer[0])])
        self.assertEqual(f"{page['device']['compute16BitPercent']:.1f}%",
                         peer[0]["p"]["device_compute_16bit_percent"])

    def test_a_tpu_that_waits_for_its_hosts_input(self):
        file = self.folder / "waits.xplane.pb"
        write_tpu_that_waits(file)
        ours, theirs = self.compare_steps(file)
        self.assertGreater(len(theirs), 5)
        self.near(ours["steps"][3]["inputInMs"], 0.004, "input")

    def test_steps_of_cores_that_take_unequally_long(self):
        file = self.folder / "uneven.xplane.pb"
        write_uneven_tpu(file)
        ours, theirs = self.compare_steps(file)
        self.assertEqual(len(theirs), 5)
        step = ours["steps"][1]
        self.near(step["computeInMs"] + step["idleInMs"], step["stepTimeInMs"], "the whole step")

    def test_memory_of_every_program_of_the_fixtures(self):
        for name in ("jax_cpu", "tpu_synth_flow"):
            self.compare_memory(FIXTURES / f"{name}.xplane.pb")

    def test_operations_of_a_tpu(self):
        file = FIXTURES / "tpu_synth_flow.xplane.pb"
        theirs = {row["hlo_op_name"]: row for row in rows(self.theirs(file, "hlo_stats"))}
        ours = self.ours(file, "hlo_stats")["ops"]
        self.assertEqual({op["name"] for op in ours}, set(theirs))
        for op in ours:
            row = theirs[op["name"]]
            self.near(op["selfTimePercent"], row["total_self_time_percent"], op["name"])
            self.near(op["roofline"]["gflopsPerSecond"], row["normalized_flop_rate"], op["name"])
            self.near(op["roofline"]["hbmGibPerSecond"], row["hbm_bw"], op["name"])
            self.assertEqual(op["roofline"]["boundBy"], row["bound_by"])

    def test_a_trace_of_a_program_that_just_ran(self):
        file = self.fresh_trace()
        ours, theirs = self.compare_steps(file)
        self.assertEqual(len(theirs), 10)
        self.assertEqual(ours["verdict"]["inputBound"], "highly")
        mine = {op["name"]: op for op in ours["inputOps"]}
        peer = {row["opName"]: row
                for row in rows(self.theirs(file, "input_pipeline_analyzer")[2])}
        self.assertEqual(set(mine), set(peer))
        for name, op in mine.items():
            self.assertEqual(op["count"], peer[name]["count"])
            self.near(op["selfTimeInMs"], peer[name]["selfTimeInMs"], name)
        self.compare_memory(file)

    def compare_memory(self, file):
        modules = self.ours(file, "memory_viewer")["modules"]
        self.assertTrue(modules)
        for module in modules:
            with self.subTest(module=module):
                memory = self.ours(file, "memory_viewer", "--module", module)["memory"]
                other = self.theirs(file, "memory_viewer", module_name=module)
                self.near(memory["peakInMib"], other.get("peakHeapMib", 0), "peak")
                # A program without temporaries has one size, and XProf no list of it.
                sizes = other.get("heapSizes", [other.get("peakHeapMib", 0)])
                self.assertEqual(len(memory["heapInMib"]), len(sizes))
                for at, size in enumerate(sizes):
                    self.near(memory["heapInMib"][at], size, f"heap at {at}")

    def test_a_log_directory_is_one_that_xprof_opens(self):
        logs = self.folder / "exported"
        self.mlprof(FIXTURES / "jax_cpu.xplane.pb", "--export", str(logs))
        [copy] = logs.glob("plugins/profile/*/*.xplane.pb")
        self.assertTrue(self.theirs(copy, "overview_page"))


if __name__ == "__main__":
    unittest.main()
