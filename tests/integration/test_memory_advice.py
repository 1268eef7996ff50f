"""What is advised against too much memory, followed: does it save what was promised?"""

import json
import unittest

import target
from long_tests import long_test
from server import Server

MIB = 1 << 20
# Long enough to see the load and its memory; nothing is proven here.
BUDGET_S = 12
# With the proof and what comes behind it.
ARENAS_BUDGET_S = 150
# Of the figure that was promised.
TOLERANCE = 0.2
WEIGHTS_MIB = 80


def safetensors(dtype, width):
    """One tensor of WEIGHTS_MIB / 4 million numbers, in a file as the library writes it."""
    size = (WEIGHTS_MIB << 20) // 4 * width
    header = json.dumps({"w": {"dtype": dtype, "shape": [size // width],
                               "data_offsets": [0, size]}}).encode()
    header += b" " * (-len(header) % 8)
    return len(header).to_bytes(8, "little") + header + bytes(size)


# Holds the parameters as the file stores them, as a server of numbers would.
SCORE = """
import os
weights = []

def init():
    with open(os.path.join(os.environ["AZUREML_MODEL_DIR"], "model.safetensors"), "rb") as file:
        weights.append(file.read())

def run(data):
    return len(weights[0])
"""

# ONNX Runtime is asked for a tensor of 1 PiB, which no machine addresses, and prints what it was for.
GREEDY = """
import numpy, onnx, onnxruntime
from onnx import TensorProto, helper

def init():
    global session
    node = helper.make_node("ConstantOfShape", ["shape"], ["filled"], name="canvas")
    graph = helper.make_graph(
        [node], "greedy", [helper.make_tensor_value_info("shape", TensorProto.INT64, [2])],
        [helper.make_tensor_value_info("filled", TensorProto.FLOAT, None)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    session = onnxruntime.InferenceSession(model.SerializeToString())

def run(data):
    return session.run(None, {"shape": numpy.array([1 << 24, 1 << 24])})[0].nbytes
"""


def sized_rows(most_mib):
    """Whose memory follows their size: 16 KiB of request for each MiB."""
    return [f"alloc={mib} row{mib} ".ljust(16384 * mib, ".") for mib in range(4, most_mib + 1, 4)]


class MemoryAdviceTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        target.make_image()
        cls.addClassCleanup(target.remove_image)
        cls.server = Server().start()
        cls.addClassCleanup(cls.server.close)
        cls.plain = cls.server.register_model("plain", target.model_tar())
        cls.profiles = 0

    def profile(self, config, rows, model=None, wait=180, **more):
        """A finished profile of `rows`; what it was told and what it took."""
        type(self).profiles += 1
        name = f"advice-{self.profiles}"
        dataset = self.server.register_rows(name, rows)
        self.server.profile(name, model or self.plain, dataset, config,
                            **{"budgetSeconds": BUDGET_S, **more})
        return self.server.wait_finished(name, wait)

    def need(self, profile):
        self.assertEqual(profile["state"], "Succeeded", profile["error"])
        memory = profile["findings"]["memory"]
        return max(memory["loadPeakInBytes"], memory["servingPeakInBytes"])

    def advised(self, profile, change):
        savings = profile["findings"]["memorySavings"]
        found = [saving for saving in savings if saving["change"] == change]
        self.assertEqual(len(found), 1, (savings, profile["findings"]["memory"]))
        return found[0]

    def check_followed(self, change, basis, before, after):
        """What was advised saves what it said, within TOLERANCE."""
        saving = self.advised(before, change)
        self.assertEqual(saving["basis"], basis)
        promised = saving["savesInBytes"]
        saved = self.need(before) - self.need(after)
        print(f"{change}: promised {promised / MIB:.1f} MiB, saved {saved / MIB:.1f}: "
              f"{saving['advice']}", flush=True)
        self.assertAlmostEqual(saved / promised, 1, delta=TOLERANCE, msg=saving["advice"])

    def test_fewer_rows_in_flight(self):
        rows = target.rows("spike=16:40")
        before = self.profile(target.config(), rows, objective={"concurrency": 8})
        after = self.profile(target.config(), rows, objective={"concurrency": 4})
        self.check_followed("inFlight", "measured", before, after)

    def test_a_model_that_died_under_load_is_told_what_would_have_fitted(self):
        """Eight rows of 16 MiB do not fit into 128 MiB, four do."""
        rows = target.rows("spike=16:40")
        limited = {"memoryInGb": 0.125}
        died = self.profile(target.config(), rows, objective={"concurrency": 8},
                            containerResourceRequirements=limited)
        self.assertEqual(died["error"]["code"], "OutOfMemory")
        self.assertIn("process 'server' for memory", died["error"]["message"])
        self.assertIn("serve 4 rows at once instead of 8", died["error"]["advice"][0])
        followed = self.profile(target.config(), rows, objective={"concurrency": 4},
                                containerResourceRequirements=limited)
        self.assertEqual(followed["state"], "Succeeded", followed["error"])

    def test_a_model_that_did_not_start_is_told_what_its_files_say(self):
        source = self.server.call("POST", "/sources", target.model_tar(
            [("score.py", SCORE.encode())]), "application/x-tar")["id"]
        model = self.server.register_model("too-large", target.model_tar(
            [("model.safetensors", safetensors("F32", 4))]))
        died = self.profile({"sourceId": source, "entryScript": "score.py"}, target.rows("[1]"),
                            model, containerResourceRequirements={"memoryInGb": 0.0625})
        self.assertEqual(died["error"]["code"], "OutOfMemory")
        self.assertIn("saves 40 MiB (estimated)", died["error"]["advice"][0])

    def test_a_framework_that_was_refused_memory_is_told_in_its_own_words(self):
        source = self.server.call("POST", "/sources", target.model_tar(
            [("score.py", GREEDY.encode())]), "application/x-tar")["id"]
        packages = {"python": {"pipPackages": ["onnx==1.23.2", "onnxruntime==1.32.0"]}}
        refused = self.profile({"sourceId": source, "entryScript": "score.py",
                                "environment": packages}, target.rows("[1]"),
                               budgetSeconds=60, wait=600)
        error = refused["error"]
        self.assertEqual(error["code"], "OutOfMemory", error)
        self.assertEqual(error["allocation"]["runtime"], "ONNX Runtime")
        self.assertEqual(error["allocation"]["askedInBytes"], 1 << 50)
        self.assertIn("ConstantOfShape 'canvas'", error["message"])
        self.assertIn("larger than the limit", error["advice"][0])

    @long_test
    def test_without_the_heavy_row(self):
        rows = target.rows("alloc=4 burn=2", 39) + ["spike=150:10 heavy"]
        before = self.profile(target.config(), rows)
        self.assertIn("row 39", self.advised(before, "rows")["advice"])
        after = self.profile(target.config(), rows[:-1])
        self.check_followed("rows", "measured", before, after)

    @long_test
    def test_smaller_rows(self):
        before = self.profile(target.config(), sized_rows(80))
        after = self.profile(target.config(), sized_rows(40))
        self.check_followed("rowSize", "measured", before, after)

    def test_fewer_processes(self):
        rows = target.rows("burn=2")
        before = self.profile(target.config("--workers", "4", "--worker-mib", "40"), rows)
        after = self.profile(target.config("--workers", "1", "--worker-mib", "40"), rows)
        self.check_followed("workers", "measured", before, after)

    @long_test
    def test_gentler_loading(self):
        rows = target.rows("burn=2")
        kept = ("--start-mib", "40")
        before = self.profile(
            target.config(*kept, "--start-spike-mib", "120", "--start-spike-ms", "300"), rows)
        after = self.profile(target.config(*kept), rows)
        self.check_followed("loading", "measured", before, after)

    def test_parameters_in_a_smaller_type(self):
        source = self.server.call("POST", "/sources", target.model_tar(
            [("score.py", SCORE.encode())]), "application/x-tar")["id"]
        config = {"sourceId": source, "entryScript": "score.py"}
        needs = []
        for dtype, width in (("F32", 4), ("BF16", 2)):
            model = self.server.register_model(
                dtype, target.model_tar([("model.safetensors", safetensors(dtype, width))]))
            needs.append(self.profile(config, target.rows("[1]"), model))
        self.check_followed("precision", "estimated", *needs)

    @long_test
    def test_loaded_before_the_processes_are_forked(self):
        model = self.server.register_model("preloaded", target.model_tar(
            [("model.safetensors", safetensors("F32", 4))]))
        rows = target.rows("burn=2")
        size = str(WEIGHTS_MIB)
        before = self.profile(target.config("--workers", "3", "--worker-mib", size), rows, model,
                              objective={"concurrency": 3})
        after = self.profile(target.config("--workers", "3", "--start-mib", size), rows, model,
                             objective={"concurrency": 3})
        self.check_followed("preload", "estimated", before, after)

    @long_test
    def test_fewer_arenas(self):
        image = target.make_image("target-arena-server")
        self.addCleanup(target.remove_image, image)
        config = target.config("8080", "8", "12", image=image)
        # The trial comes behind the proof.
        more = {"budgetSeconds": ARENAS_BUDGET_S}
        before = self.profile(config, target.rows("x"), **more)
        config["environmentVariables"] = {"MALLOC_ARENA_MAX": "2"}
        after = self.profile(config, target.rows("x"))
        self.check_followed("arenas", "measured", before, after)


if __name__ == "__main__":
    unittest.main()
