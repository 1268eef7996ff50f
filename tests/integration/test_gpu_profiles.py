"""Profiles on an imitated GPU, in real containers: the library that tells of it is on the host alone,
and what a container's model says it holds there is held by a process of the host."""

import os
import time
import unittest

import gpus
import target
from checks import check_failed, check_recommendation
from server import FINISHED, Refused, Server, containers

MIB = 1 << 20
TOTAL_MIB = 16384
NEED_MIB = 3000
CONTEXT_MIB = 400
# The image's program is /server, and so is its process.
CARD = {**gpus.CARD, "follow": "server /tmp/device.state"}


class GpuProfilesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.image = target.make_image("target-device-server")
        cls.machine = gpus.Machine()
        cls.machine.say(CARD)
        cls.server = Server(options=["--device-access", "environment"],
                            prefix=cls.machine.prefix()).start()
        cls.model = cls.server.register_model("weights", target.model_tar())
        cls.rows = cls.server.register_rows("rows", target.rows("burn=1"))

    @classmethod
    def tearDownClass(cls):
        cls.server.close()
        cls.machine.close()
        target.remove_image(cls.image)

    def tearDown(self):
        self.machine.say(CARD)

    def create(self, name, count=1, **more):
        config = target.config("--device-total-mib", str(TOTAL_MIB), "--device-need-mib",
                               str(NEED_MIB), "--device-context-mib", str(CONTEXT_MIB))
        config["image"] = self.image
        return self.server.profile(name, self.model, self.rows, config,
                                   accelerator={"type": "gpu", "count": count}, **more)

    def refused(self, name, **more):
        with self.assertRaises(Refused) as caught:
            self.create(name, **more)
        self.assertEqual(caught.exception.status, 400)
        return caught.exception.problem["errors"][0]

    def test_needed_is_told_from_reserved_and_one_profile_has_the_device_at_a_time(self):
        self.create("first", budgetSeconds=90)
        self.create("second", budgetSeconds=90)
        self.server.wait_until("first", lambda p: p["state"] == "Profiling" or
                               p["state"] in FINISHED)
        self.assertEqual(self.server.get("/profiles/second")["state"], "Queued")
        profile = self.server.wait_finished("first", 150)
        self.server.call("POST", "/profiles/second/cancel")
        answer = check_recommendation(self, profile)
        device = answer["device"]
        self.assertEqual(device["reservedMemoryInBytes"],
                         TOTAL_MIB * MIB * 3 // 4 + CONTEXT_MIB * MIB)
        self.assertEqual(device["neededBy"], "cap", profile["warnings"])
        need = (NEED_MIB + CONTEXT_MIB) * MIB
        self.assertGreaterEqual(device["neededMemoryInBytes"], need)
        self.assertLess(device["neededMemoryInBytes"], 1.06 * need)
        self.assertGreaterEqual(device["memoryInBytes"], device["neededMemoryInBytes"])
        self.assertEqual(device["count"], 1)
        self.assertEqual(device["memoryFrom"], "processes")
        self.assertEqual(device["limitedBy"], "memoryBandwidth")
        self.assertIn("XLA_PYTHON_CLIENT_MEM_FRACTION", answer["environmentVariables"])
        self.check_series("first")

    def check_series(self, name):
        samples = self.server.get(f"/profiles/{name}/samples")
        info, series = samples["seriesInfo"], samples["series"]
        for wanted, unit in (("deviceMemoryInBytes", "bytes"), ("deviceUtilization", "share"),
                             ("devicePowerInWatts", "watts")):
            self.assertEqual(info[wanted], {"unit": unit, "source": "nvml"})
            self.assertTrue(series[wanted])
        self.assertEqual({watts for _, watts in series["devicePowerInWatts"]}, {61.5})

    def test_a_device_that_is_lost_in_the_middle_ends_the_profile_with_that(self):
        self.create("lost", budgetSeconds=60)
        self.server.wait_until("lost", lambda p: p["state"] == "Profiling")
        self.machine.say({**CARD, "lost": 1})
        error = check_failed(self, self.server.wait_finished("lost", 30), "DeviceLost")
        self.assertIn("fallen off the bus", error["message"])
        self.assertEqual(containers(self.server.instance()), [])
        # Nothing is left reserved: once it is back another profile gets it.
        self.machine.say(CARD)
        self.create("after")
        self.server.wait_until("after", lambda p: p["state"] == "Profiling")
        self.server.call("POST", "/profiles/after/cancel")
        self.server.wait_finished("after", 30)

    def test_a_device_that_others_use_is_refused_with_the_process(self):
        self.machine.say({**CARD, "process": f"{os.getpid()} {MIB}"})
        self.create("used")
        error = check_failed(self, self.server.wait_finished("used", 30), "DeviceUnavailable")
        self.assertIn(f"in use by others (process {os.getpid()})", error["message"])

    def test_more_than_there_are_is_refused_before_anything_starts(self):
        problem = self.refused("many", count=2)
        self.assertEqual(problem["pointer"], "/accelerator/count")
        self.assertIn("this machine has 1 GPU", problem["detail"])

    def await_refusal(self, words):
        """A driver that did not open is tried again every few seconds."""
        deadline = time.monotonic() + 30
        while words not in (detail := self.refused("none")["detail"]):
            self.assertLess(time.monotonic(), deadline, detail)
            time.sleep(0.2)

    def test_no_driver_and_one_of_another_version_are_told_apart(self):
        self.machine.no_driver()
        self.await_refusal("installed and not loaded")
        self.machine.say(init=18)
        self.await_refusal("different versions")


if __name__ == "__main__":
    unittest.main()
