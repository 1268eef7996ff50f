"""--runtime process: real models as processes of this machine, no Docker engine anywhere."""

import contextlib
import glob
import os
import pathlib
import shutil
import signal
import socket
import tempfile
import time
import unittest

from checks import check_failed, check_recommendation
from server import BIN, Refused, Server
from target import model_tar, rows

# Of a model's own /tmp nothing here is seen, and the programs under test may lie there.
PROGRAMS = tempfile.TemporaryDirectory(prefix="mlprof-it-", dir="/var/tmp")
os.chmod(PROGRAMS.name, 0o755)
TARGET = shutil.copy(BIN / "target-target-server", PROGRAMS.name)
MIB = 1 << 20
GONE_DEADLINE_S = 15
# No engine is there to be asked: a slip that reached for one would fail.
NO_DOCKER = ("--runtime", "process", "--docker-host", "unix:///nonexistent/docker.sock")


def command(*arguments, **more):
    settings = {"command": [TARGET, "--port", "8080", *map(str, arguments)], "port": 8080,
                "scoringPath": "/", "contentType": "text/plain", "startTimeoutSeconds": 30,
                "requestTimeoutSeconds": 10}
    settings.update(more)
    return settings


def codes(profile):
    return {warning["code"] for warning in profile["warnings"]}


def processes_with(word):
    """The ids of processes that have the word among their arguments."""
    found = []
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if word.encode() in pathlib.Path(path).read_bytes().split(b"\0"):
                found.append(int(path.split("/")[2]))
    return found


def holders_of(instance):
    """The folders that hold this server's cgroups, wherever the server itself is."""
    name = f"mlprof-{instance[:12]}"
    return [os.path.join(folder, name) for folder, below, _ in os.walk("/sys/fs/cgroup")
            if name in below]


def cgroups_of(instance):
    """Those of its models."""
    return sorted(path for holder in holders_of(instance) for path in glob.glob(f"{holder}/*/"))


def mounts_below(folder):
    return [line for line in pathlib.Path("/proc/self/mountinfo").read_text().split("\n")
            if f" {folder}/" in line]


def eventually(holds):
    deadline = time.monotonic() + GONE_DEADLINE_S
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


@unittest.skipUnless(os.geteuid() == 0, "limits of processes need root")
class ProcessRuntimeTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # Not below /tmp, which a model has its own of.
        folder = tempfile.TemporaryDirectory(prefix="mlprof-it-", dir="/var/tmp")
        cls.addClassCleanup(folder.cleanup)
        os.chmod(folder.name, 0o755)
        cls.server = Server(data=folder.name, options=NO_DOCKER).start()
        cls.addClassCleanup(cls.server.close)
        cls.model = cls.server.register_model("m", model_tar())

    def profile(self, name, work, config, **more):
        dataset = self.server.register_rows(name, rows(work))
        self.server.profile(name, self.model, dataset, config, **more)
        return self.server.wait_finished(name)

    def test_verifies_a_known_need_on_a_port_that_the_machine_has_in_use(self):
        with contextlib.closing(socket.socket()) as taken:
            taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            with contextlib.suppress(OSError):  # somebody else's is as good
                taken.bind(("0.0.0.0", 8080))
                taken.listen()
            profile = self.profile("known", "burn=5", command("--start-mib", 64),
                                   budgetSeconds=45)
        answer = check_recommendation(self, profile)
        self.assertTrue(answer["verified"], answer)
        self.assertEqual(profile["runtime"], "process")
        self.assertGreaterEqual(answer["requestedMemoryInBytes"], 64 * MIB)
        self.assertLessEqual(answer["requestedMemoryInBytes"], 112 * MIB)
        cost = profile["measurements"]["cpuSecondsPerQuery"]
        self.assertAlmostEqual(cost, 0.005, delta=0.002)
        self.assertIn("notIsolated", codes(profile))
        self.assertNotIn("limitsNotHeld", codes(profile))
        self.assertTrue(eventually(lambda: not processes_with(TARGET)))
        self.assertEqual(cgroups_of(self.server.instance()), [])
        self.assertEqual(os.listdir(self.server.data / "process" / "run"), [])

    def test_sees_that_the_kernel_killed_for_memory(self):
        profile = self.profile("oom", "alloc=600", command(),
                               containerResourceRequirements={"memoryInGb": 0.25})
        error = check_failed(self, profile, "OutOfMemory")
        self.assertIn("256 MiB", error["message"] + str(error["evidence"]), error)

    def test_names_the_port_that_is_in_use_where_the_network_is_shared(self):
        with contextlib.closing(socket.socket()) as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            profile = self.profile("port", "burn=1", command(port=port, network="bridge"))
        error = check_failed(self, profile, "RuntimeFailed")
        self.assertIn(f"port {port} of this machine is in use", error["message"])

    def test_names_a_command_that_is_not_there(self):
        profile = self.profile("missing", "burn=1",
                               {"command": ["/opt/no-such-server"], "port": 8080})
        self.assertEqual(profile["state"], "Failed")
        self.assertIn("/opt/no-such-server", str(profile["error"]))

    def test_refuses_an_image(self):
        dataset = self.server.register_rows("image", rows("burn=1"))
        with self.assertRaises(Refused) as refused:
            self.server.profile("image", self.model, dataset, {"image": "some/image:1"})
        self.assertEqual(refused.exception.status, 400)
        self.assertEqual([e["pointer"] for e in refused.exception.problem["errors"]],
                         ["/inferenceConfig/image"])

    def test_says_that_a_program_in_tmp_is_hidden(self):
        profile = self.profile("hidden", "burn=1", {"command": ["/tmp/serve"], "port": 8080})
        self.assertIn("put the program elsewhere", profile["error"]["message"])

    def test_shows_a_model_nothing_but_its_own(self):
        look = ("ls /tmp /run; ls /proc | grep -c '^[0-9]*$'; id -u; touch /usr/x; "
                "echo $AZUREML_MODEL_DIR; cat $AZUREML_MODEL_DIR/weights; "
                f"echo data: $(ls -A {self.server.data} 2>&1).; exit 3")
        profile = self.profile("look", "burn=1", {"command": ["/bin/sh", "-c", look], "port": 8080})
        self.assertEqual(profile["state"], "Failed")
        log = self.server.get("/profiles/look/logs")
        self.assertIn("Read-only file system", log)
        self.assertIn("65534", log)
        self.assertIn("data: .", log)
        self.assertNotIn("Permission denied", log)
        self.assertIn("/var/azureml-app/azureml-models/m/1", log)


@unittest.skipUnless(os.geteuid() == 0, "limits of processes need root")
class KilledServerTest(unittest.TestCase):
    def test_leaves_nothing(self):
        server = Server(options=NO_DOCKER).start()
        self.addCleanup(server.close)
        model = server.register_model("m", model_tar())
        dataset = server.register_rows("r", rows("burn=2 sleep=20"))
        mark = "--cache-max-mib"  # among the arguments of this test's model alone
        server.profile("p", model, dataset, command(mark, 7), budgetSeconds=60)
        server.wait_until("p", lambda p: p["state"] == "Profiling")
        self.assertTrue(eventually(lambda: processes_with(mark)))
        instance = server.instance()
        self.assertNotEqual(cgroups_of(instance), [])
        server.process.send_signal(signal.SIGKILL)
        server.process.wait()
        self.assertTrue(eventually(lambda: not processes_with(mark)))
        self.assertTrue(eventually(lambda: not cgroups_of(instance)), cgroups_of(instance))
        self.assertTrue(eventually(lambda: not holders_of(instance)), holders_of(instance))
        self.assertEqual(mounts_below(server.data), [])
        left = set(os.listdir(server.data / "process" / "run"))
        self.assertTrue(left)
        server.start()
        self.assertTrue(eventually(
            lambda: not left & set(os.listdir(server.data / "process" / "run"))
            or server.get("/profiles/p")["state"] != "Queued"))
        server.call("POST", "/profiles/p/cancel")
        server.wait_finished("p")


@unittest.skipUnless(os.geteuid() == 0 and shutil.which("setpriv"), "becomes another user")
class OrdinaryUserTest(unittest.TestCase):
    def test_measures_the_need_and_claims_no_more(self):
        folder = tempfile.TemporaryDirectory(prefix="mlprof-it-", dir="/var/tmp")
        self.addCleanup(folder.cleanup)
        os.chmod(folder.name, 0o777)
        server = Server(data=folder.name, options=NO_DOCKER,
                        prefix=("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"))
        self.addCleanup(server.close)
        server.start()
        model = server.register_model("m", model_tar())
        dataset = server.register_rows("r", rows("burn=5"))
        server.profile("p", model, dataset, command("--start-mib", 64))
        profile = server.wait_finished("p")
        answer = check_recommendation(self, profile)
        self.assertFalse(answer["verified"])
        self.assertIn("limitsNotHeld", codes(profile))
        self.assertGreaterEqual(answer["requestedMemoryInBytes"], 64 * MIB)
        self.assertLessEqual(answer["requestedMemoryInBytes"], 128 * MIB)
        self.assertAlmostEqual(profile["measurements"]["cpuSecondsPerQuery"], 0.005, delta=0.002)
        self.assertTrue(eventually(lambda: not processes_with(TARGET)))


if __name__ == "__main__":
    unittest.main()
