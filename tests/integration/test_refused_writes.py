"""Models that a read-only root refuses a write, models that only say so, and a server that gives none
a folder to write to."""

import unittest

import target
from checks import check_failed, check_recommendation
from server import Server
from target_case import TargetCase

FILE = f"{target.WRITABLE}/started"


def messages(profile):
    return " ".join(warning["message"] for warning in profile["warnings"])


class RefusedWritesTest(TargetCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.rows = cls.server.register_rows("rows", target.rows("burn=1"))

    def run_profile(self, name, *arguments, **more):
        self.server.profile(name, self.model, self.rows, target.config(*arguments, **more))
        return self.server.wait_finished(name)

    def check_given(self, profile):
        check_recommendation(self, profile)
        self.assertIn(f"writes to {FILE},", messages(profile))
        self.assertIn(f"a copy of {target.WRITABLE} ", messages(profile))

    def test_a_model_that_was_refused_a_write_gets_that_folder_and_is_told_its_path(self):
        self.check_given(self.run_profile("refused", "--write-dir", target.WRITABLE))

    def test_so_does_one_that_keeps_root(self):
        self.check_given(self.run_profile("root", "--write-dir", target.WRITABLE, runAsRoot=True))

    def test_a_model_that_only_says_so_gets_nothing(self):
        # The words are in what it prints, but the write fails because there is no such folder.
        for name, more in (("words", {}), ("rootwords", {"runAsRoot": True})):
            profile = self.run_profile(name, "--write-dir", "/no/Read-only file system", **more)
            error = check_failed(self, profile, "ModelExited")
            self.assertIn("Read-only file system", error["evidence"])
            self.assertIn("none of its writes met a read-only file system", error["message"])
            self.assertNotIn("writableFolder", [w["code"] for w in profile["warnings"]])

    def test_a_model_that_writes_to_its_read_only_mount_is_told_so(self):
        profile = self.run_profile("mount", "--write-dir", "/weights", modelMountPath="/weights")
        error = check_failed(self, profile, "ModelExited")
        self.assertIn("/weights/started, where the models and the source are mounted read-only",
                      error["message"])

    def test_a_server_may_forbid_it(self):
        server = Server(options=["--keep-root-read-only"]).start()
        self.addCleanup(server.close)
        model = server.register_model("weights", target.model_tar())
        rows = server.register_rows("rows", target.rows("burn=1"))
        server.profile("forbidden", model, rows,
                       target.config("--write-dir", target.WRITABLE, runAsRoot=True))
        error = check_failed(self, server.wait_finished("forbidden"), "ModelExited")
        self.assertIn(FILE, error["message"])
        self.assertIn("--keep-root-read-only", error["message"])
        advice = " ".join(error["advice"])
        self.assertIn(f"name {target.WRITABLE} in `writablePaths`", advice)
        self.assertIn("/tmp", advice)


if __name__ == "__main__":
    unittest.main()
