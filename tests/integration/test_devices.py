"""What mlprof reads of GPUs, beside what NVIDIA's own Python reader reads of the same library: an
imitation of ours, and one that NVIDIA made."""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import gpus
import mokka
from server import BIN

HERE = pathlib.Path(__file__).resolve().parent


def run(command, environment):
    done = subprocess.run(command, env={**os.environ, **environment}, stdout=subprocess.PIPE,
                          check=False, timeout=60)
    return done.returncode, json.loads(done.stdout)


def ours(environment):
    return run([BIN / "print-devices"], environment)


class ReadersTest(unittest.TestCase):
    """Every figure that both readers know is the same in both."""

    def compare(self, environment):
        python = gpus.second_reader()
        if python is None:
            self.skipTest("SKIPPED: nvidia-ml-py is not installed and cannot be had")
        status, mine = ours(environment)
        self.assertEqual(status, 0, mine)
        _, theirs = run([python, HERE / "read_by_pynvml.py"], environment)
        self.assertEqual(len(mine), len(theirs))
        for own, other in zip(mine, theirs):
            if own["card"]:
                other["pci"] = own["pci"]  # of a part we tell its card's
            for key, value in other.items():
                self.assertIn(key, own, own["missing"])
                if isinstance(value, float):
                    self.assertAlmostEqual(own[key], value, 6, key)
                else:
                    self.assertEqual(own[key], value, key)
            # What the other reader was not told is absent here too.
            told = set(own) - {"card", "missing"}
            self.assertEqual(told, set(other))
        return mine


class ImitatedTest(ReadersTest):
    def setUp(self):
        self.machine = gpus.Machine()
        self.addCleanup(self.machine.close)

    def test_every_figure(self):
        self.machine.say({**gpus.CARD, "process": f"4711 {3 << 30}"}, driver="550.54.15")
        device = self.compare(self.machine.environment())[0]
        self.assertEqual(device["processes"], {"4711": 3 << 30})
        self.assertEqual(device["missing"], {})

    def test_figures_that_a_device_does_not_have(self):
        self.machine.say({**gpus.CARD, "missing": "power utilization memory_v2 processes"})
        device = self.compare(self.machine.environment())[0]
        self.assertNotIn("watts", device)
        self.assertNotIn("processes", device)

    def test_parts_of_a_split_card(self):
        part = {"part": True, "uuid": "MIG-1", "name": "part", "memory_total": 5 << 30}
        self.machine.say(gpus.CARD, part, {**part, "uuid": "MIG-2"}, {**gpus.CARD, "uuid": "GPU-9"})
        devices = self.compare(self.machine.environment())
        self.assertEqual([d["uuid"] for d in devices], ["MIG-1", "MIG-2", "GPU-9"])

    def test_each_way_to_have_none_has_words_of_its_own(self):
        said = set()
        for state in (None, {"init": 18}, {"init": 4}, {}):
            self.machine.no_driver() if state is None else self.machine.say(**state)
            status, answer = ours(self.machine.environment())
            self.assertEqual(status, 1)
            self.assertTrue(answer["remedy"])
            said.add(answer["what"])
        self.machine.say({**gpus.CARD, "lost": 1})
        said.add(ours(self.machine.environment())[1]["what"])
        status, answer = ours({"LD_LIBRARY_PATH": "/nonexistent"})
        said.add(answer["what"] if status else "this machine has a driver")
        self.assertEqual(len(said), 6, said)


class MokkaTest(ReadersTest):
    """NVIDIA's imitation, unmodified: its profiles, and its ways to fail."""

    @classmethod
    def setUpClass(cls):
        try:
            cls.folder, cls.profiles = mokka.library()
        except mokka.CannotBuild as why:
            raise unittest.SkipTest(
                f"SKIPPED: NVIDIA's imitation (Mokka) cannot be built here: {why}") from None

    def environment(self, profile):
        return {"LD_LIBRARY_PATH": str(self.folder), "MOCK_NVML_CONFIG": str(profile)}

    def test_every_profile(self):
        profiles = [p for p in sorted(self.profiles.glob("mock-nvml-config-*.yaml"))
                    if ".mig." not in p.name]
        self.assertGreaterEqual(len(profiles), 7)
        for profile in profiles:
            with self.subTest(profile.name):
                devices = self.compare(self.environment(profile))
                self.assertTrue(all(d["uuid"].startswith("GPU-") for d in devices))

    def test_devices_that_are_lost(self):
        text = (self.profiles / "mock-nvml-config-t4.yaml").read_text()
        for mode in ("lost", "fallen_off_bus"):
            with self.subTest(mode), tempfile.TemporaryDirectory() as folder:
                broken = pathlib.Path(folder) / "profile.yaml"
                failure = f"device_defaults:\n  failure:\n    mode: {mode}\n"
                broken.write_text(re.sub(r"(?m)^device_defaults:\n", failure, text, count=1))
                status, answer = ours(self.environment(broken))
                self.assertEqual(status, 1)
                self.assertIn("fallen off the bus", answer["what"])


if __name__ == "__main__":
    unittest.main()
