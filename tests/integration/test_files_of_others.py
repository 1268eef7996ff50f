"""An image that runs on the machine already: the pages of its files belong to the container that read
them first, and another one has them for nothing."""

import contextlib
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

import target
from server import BIN, Server

IMAGE = f"mlprof-test/files-{os.getpid()}:1"
FILE_MIB = 96


def make_image():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder) / "root"
        (root / "tmp").mkdir(parents=True)
        shutil.copy(BIN / "target-target-server", root / "server")
        (root / "weights.bin").write_bytes(os.urandom(FILE_MIB << 20))
        tar = pathlib.Path(folder) / "image.tar"
        subprocess.run(["tar", "-C", root, "-cf", tar, "."], check=True)
        subprocess.run(["docker", "import", "--change", 'ENTRYPOINT ["/server"]', tar, IMAGE],
                       stdout=subprocess.DEVNULL, check=True)


@contextlib.contextmanager
def another_container():
    """Serves, with all of the file mapped."""
    command = ["docker", "run", "-d", "--rm", "--network", "none", IMAGE, "--map-file",
               "/weights.bin"]
    name = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout.strip()
    try:
        pid = subprocess.run(["docker", "inspect", "-f", "{{.State.Pid}}", name],
                             stdout=subprocess.PIPE, check=True, text=True).stdout.strip()
        deadline = time.monotonic() + 30
        while mapped_mib(pid) < FILE_MIB:
            if time.monotonic() > deadline:
                raise AssertionError(f"it has {mapped_mib(pid)} MiB mapped")
            time.sleep(0.1)
        yield
    finally:
        subprocess.run(["docker", "kill", name], stdout=subprocess.DEVNULL, check=False)


def mapped_mib(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return int(status.split("RssFile:")[1].split()[0]) >> 10


class FilesOfOthersTest(unittest.TestCase):
    def setUp(self):
        make_image()
        self.addCleanup(target.remove_image, IMAGE)
        self.server = Server().start()
        self.addCleanup(self.server.close)
        self.model = self.server.register_model("weights", target.model_tar())
        self.rows = self.server.register_rows("rows", target.rows("burn=10", 20))

    def profiled(self, name):
        self.server.profile(name, self.model, self.rows,
                            target.config("--map-file", "/weights.bin", image=IMAGE),
                            budgetSeconds=240)
        return self.server.wait_finished(name, 400)

    def test_what_it_did_not_pay_for_is_added_and_nothing_is_proven(self):
        with another_container():
            beside = self.profiled("beside")
        answer = beside["recommendation"]
        self.assertFalse(answer["verified"], beside["warnings"])
        self.assertGreaterEqual(answer["requestedMemoryInBytes"], FILE_MIB << 20)
        [why] = [one for one in beside["warnings"] if one["code"] == "unverified"]
        self.assertIn("charged to another container", why["message"])
        alone = self.profiled("alone")
        self.assertTrue(alone["recommendation"]["verified"], alone["warnings"])
        self.assertGreaterEqual(alone["recommendation"]["requestedMemoryInBytes"], FILE_MIB << 20)


if __name__ == "__main__":
    unittest.main()
