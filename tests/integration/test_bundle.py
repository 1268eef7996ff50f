"""The bundle of deploy/bundle, in a root that holds nothing else: no library, no shell."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from server import BIN, ROOT, Server
from target import model_tar, rows

MOST_BYTES = 64 << 20
STATIC_SERVER = BIN / "target-static-server"


@unittest.skipUnless(os.geteuid() == 0, "changing the root needs root")
class BundleTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="mlprof-bundle-")
        cls.addClassCleanup(folder.cleanup)
        archive = pathlib.Path(folder.name) / "mlprof.tar.gz"
        subprocess.run(["sh", ROOT / "deploy/bundle", archive], check=True,
                       stdout=subprocess.DEVNULL, env={**os.environ, "MLPROF_BUILD": BIN.parent})
        cls.root = pathlib.Path(folder.name) / "root"
        cls.root.mkdir()
        subprocess.run(["tar", "-C", cls.root, "--strip-components=1", "-xzf", archive], check=True)
        cls.unpacked = sum(f.stat().st_size for f in cls.root.rglob("*") if f.is_file())

    def in_root(self, *words):
        done = subprocess.run(["chroot", self.root, *words], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        return done.returncode, done.stdout.decode()

    def test_is_small(self):
        self.assertLess(self.unpacked, MOST_BYTES)

    def test_runs_where_nothing_else_is(self):
        for program in ("mlprof-server", "mlprof-agent", "mlprof"):
            status, output = self.in_root(f"/bin/{program}", "--version")
            self.assertEqual(status, 0, output)
            self.assertIn("mlprof", output)

    def test_command_line_finds_its_server_there(self):
        for place in ("proc", "dev", "tmp"):
            (self.root / place).mkdir(exist_ok=True)
        self.addCleanup(shutil.rmtree, self.root / "data", ignore_errors=True)
        # In a mount namespace of its own, so that nothing is left mounted.
        script = (f"mount -t proc proc {self.root}/proc && mount --rbind /dev {self.root}/dev && "
                  f"exec chroot {self.root} /bin/mlprof model list -o json")
        done = subprocess.run(["unshare", "-m", "sh", "-c", script], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False,
                              env={"PATH": os.environ["PATH"], "HOME": "/data",
                                   "MLPROF_RUNTIME": "process"})
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        self.assertEqual(json.loads(done.stdout)["value"], [])

    def test_profiles_a_model_there(self):
        for place in ("proc", "dev", "sys", "tmp", "srv"):
            (self.root / place).mkdir(exist_ok=True)
        shutil.copy(STATIC_SERVER, self.root / "srv" / "serve")
        server = BundledServer(self.root)
        self.addCleanup(server.close)
        server.start()
        model = server.register_model("m", model_tar())
        dataset = server.register_rows("r", rows("word"))
        server.profile("p", model, dataset,
                       {"command": ["/srv/serve", "8080"], "port": 8080, "scoringPath": "/"})
        profile = server.wait_finished("p")
        self.assertEqual(profile["state"], "Succeeded", profile.get("error"))
        self.assertNotIn("limitsNotHeld", {w["code"] for w in profile["warnings"]})


class BundledServer(Server):
    """In its root. Its data lies there, at the same path in and out of it."""

    def __init__(self, root):
        super().__init__(options=("--runtime", "process"))
        self.root = root
        self.data = root / "data"

    def command(self):
        # A root that can be left again has to be a mount.
        script = ('mount --bind "$1" "$1" && cd "$1" && mount -t proc proc proc && '
                  "mount --rbind /dev dev && mount --rbind /sys sys && "
                  'root=$1 && shift && exec chroot "$root" "$@"')
        return ["unshare", "-m", "sh", "-c", script, "sh", self.root, "/bin/mlprof-server",
                "--listen", "127.0.0.1:0", "--data-dir", "/data", *self.options]


if __name__ == "__main__":
    unittest.main()
