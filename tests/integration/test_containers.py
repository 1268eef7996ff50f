"""Images that need something of their container: root, a writable folder, workers, memory."""

import unittest

import target
from checks import check_failed, check_recommendation
from server import containers
from target_case import TargetCase
from test_targets import Target


class ContainersTest(TargetCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.light = cls.server.register_rows("light", target.rows("burn=2"))

    def run_profile(self, name, config, dataset=None, **more):
        self.server.profile(name, self.model, dataset or self.light, config, **more)
        profile = self.server.wait_finished(name)
        self.assertEqual(containers(self.server.instance()), [], "containers are left")
        return profile

    def test_known_need_is_found(self):
        rows = self.server.register_rows("known", target.rows("burn=5 alloc=8"))
        profile = self.run_profile("known", target.config("--start-mib", "64"), rows)
        answer = check_recommendation(self, profile)
        self.assertGreaterEqual(answer["requestedMemoryInBytes"], 72 << 20)
        self.assertLessEqual(answer["requestedMemoryInBytes"], 144 << 20)
        own = self.own_cost("burn=5 alloc=8", "--start-mib", "64")
        self.assertAlmostEqual(profile["measurements"]["cpuSecondsPerQuery"] / own, 1, delta=0.35)

    def own_cost(self, row, *options):
        """CPU seconds of a row, as the kernel counts them of the same program on this host: what
        pages cost differs from host to host, and from hour to hour."""
        server = Target(*options)
        self.addCleanup(server.close)
        for _ in range(20):
            server.post(row)
        before = server.cpu_seconds()
        for _ in range(100):
            server.post(row)
        return (server.cpu_seconds() - before) / 100

    def test_image_that_needs_root(self):
        profile = self.run_profile("root", target.config("--needs-root", runAsRoot=True))
        check_recommendation(self, profile)

    def test_image_that_needs_root_fails_without_it_and_says_so(self):
        profile = self.run_profile("noroot", target.config("--needs-root"))
        error = check_failed(self, profile, "ModelExited")
        self.assertIn("must be started as root", error["evidence"])

    def test_image_that_writes_outside_tmp(self):
        profile = self.run_profile("writes", target.config(
            "--write-dir", target.WRITABLE, writablePaths=[target.WRITABLE]),
            self.server.register_rows("writes", target.rows("burn=1 write")))
        check_recommendation(self, profile)

    def test_server_that_forks_workers(self):
        rows = self.server.register_rows("forks", target.rows("burn=3 alloc=4"))
        profile = self.run_profile("forks", target.config("--workers", "3"), rows,
                                   objective={"concurrency": 3})
        check_recommendation(self, profile)

    def test_row_that_needs_more_than_the_ceiling_fails_as_out_of_memory(self):
        rows = self.server.register_rows("hog", target.rows("burn=1") + ["alloc=400"])
        profile = self.run_profile("hog", target.config(), rows,
                                   containerResourceRequirements={"cpu": 1, "memoryInGb": 0.125})
        error = check_failed(self, profile, "OutOfMemory")
        self.assertIn("128 MiB", error["message"])
        self.assertIn("which allocation it was for is unknown", error["message"])
        self.assertRegex(error["message"], r"it (held|was last seen with) \d+ MiB")
        self.assertIn("the last row it took was 20", error["message"])

    def test_large_row_is_in_the_answer(self):
        rows = self.server.register_rows("peak", target.rows("burn=1") + ["alloc=150"])
        profile = self.run_profile("peak", target.config(), rows)
        answer = check_recommendation(self, profile)
        self.assertGreaterEqual(answer["requestedMemoryInBytes"], 150 << 20)

    def test_row_that_crashes_the_model_is_named_and_left_out(self):
        rows = self.server.register_rows("die", target.rows("burn=1") + ["die"])
        profile = self.run_profile("die", target.config(), rows)
        check_recommendation(self, profile)
        self.assertEqual(profile["findings"]["killingRows"], [20])
        self.assertEqual(profile["recommendation"]["confidence"], "low")
        self.assertIn("rowKills", [warning["code"] for warning in profile["warnings"]])

    def test_rows_answered_by_an_error_are_no_success(self):
        rows = self.server.register_rows("errors", target.rows("status=500"))
        profile = self.run_profile("errors", target.config(), rows)
        error = check_failed(self, profile, "RowsFailed")
        self.assertIn("500", error["message"] + error["evidence"])

    def test_command_that_is_not_there(self):
        profile = self.run_profile("nothing", target.config(command=["/no/such/program"]))
        check_failed(self, profile, "StartFailed")

    def test_server_that_listens_elsewhere_is_given_up_at_the_start_timeout(self):
        profile = self.run_profile("elsewhere", target.config("--port", "8081",
                                                              startTimeoutSeconds=3))
        check_failed(self, profile, "StartTimedOut")


if __name__ == "__main__":
    unittest.main()
