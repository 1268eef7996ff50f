"""Images of environments that nobody used for long: only this server's own go, and none in use."""

import io
import os
import secrets
import subprocess
import tarfile
import time
import unittest

from server import Server

DAY_S = 24 * 3600


def docker(*arguments, stdin=None):
    done = subprocess.run(["docker", *arguments], input=stdin, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        raise AssertionError(done.stderr.decode())
    return done.stdout.decode().strip()


def names():
    """Of all environments' images."""
    return set(docker("images", "--format", "{{.Repository}}:{{.Tag}}", "mlprof-env").split())


class RetentionTest(unittest.TestCase):
    def setUp(self):
        self.made = set()
        self.addCleanup(self.remove_images)
        self.server = Server().start()
        self.addCleanup(self.server.close)
        self.own = self.server.instance()[:12]

    def remove_images(self):
        for name in self.made & names():
            docker("rmi", "-f", name)

    def image(self, *instances, days=40):
        """The name of one that these instances keep, last used here so many days ago."""
        tag = secrets.token_hex(8)
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w") as tar:
            entry = tarfile.TarInfo("content")
            entry.size = len(tag)
            tar.addfile(entry, io.BytesIO(tag.encode()))
        name = f"mlprof-env:{tag}"
        docker("import", "-", name, stdin=out.getvalue())
        for instance in instances:
            docker("tag", name, f"{name}-{instance}")
        self.made |= {name, *(f"{name}-{instance}" for instance in instances)}
        folder = self.server.data / "environments"
        folder.mkdir(exist_ok=True)
        (folder / tag).touch()
        then = time.time() - days * DAY_S
        os.utime(folder / tag, (then, then))
        return name

    def collect(self, **more):
        answer = self.server.call("POST", "/gc", more)
        return {item["id"] for item in answer["items"]}, answer["notes"]

    def test_only_images_of_this_server_go_that_nobody_uses(self):
        old = self.image(self.own)
        new = self.image(self.own, days=20)
        nobodys = self.image()
        others = self.image("anotherone00")
        shared = self.image(self.own, "anotherone00")
        used = self.image(self.own)
        container = docker("create", used, "/content")
        self.addCleanup(docker, "rm", container)
        before = names()
        would, _ = self.collect(dryRun=True)
        self.assertEqual(would, {old, shared, used})
        self.assertEqual(names(), before)
        did, notes = self.collect()
        self.assertEqual(did, {old, shared})
        self.assertIn(used, " ".join(notes))
        gone = {old, f"{old}-{self.own}", f"{shared}-{self.own}"}
        self.assertEqual(before - names(), gone)
        for name in (new, nobodys, others, used):
            self.assertIn(name, names())

    def test_a_start_looks_by_itself(self):
        old = self.image(self.own)
        self.server.stop()
        self.server.start()
        folder = self.server.data / "environments" / old.split(":")[1]
        deadline = time.monotonic() + 60
        # The image goes first, then what is kept of it here.
        while (old in names() or folder.exists()) and time.monotonic() < deadline:
            time.sleep(0.2)
        self.assertNotIn(old, names())
        self.assertFalse(folder.exists())
        self.assertIn("looked at what grows", self.server.log.read_text())


if __name__ == "__main__":
    unittest.main()
