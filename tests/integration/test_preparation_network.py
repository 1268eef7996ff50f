"""What the container that installs packages reaches: packages through the proxies of this machine,
never this server, and no password."""

import base64
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from package_proxy import PackageProxy
from server import Server, containers
from target import model_tar

USER, PASSWORD = "builder", "s3cret%2Fw0rd"
DECODED = "s3cret/w0rd"
# Of the index: the container has to know it.
READER, INDEX_PASSWORD = "reader", "ind3x-passw0rd"


def encoded(user, password):
    return base64.b64encode(f"{user}:{password}".encode()).decode().rstrip("=")


SECRETS = (PASSWORD, DECODED, "s3cret%2fw0rd", encoded(USER, DECODED),
           INDEX_PASSWORD, encoded(READER, INDEX_PASSWORD), "ind3x%2Dpassw0rd")
HOSTILE = "mlprof-test/hostile-python:1"
# Runs in place of python3: tries to become a caller of the server, and tells all it sees.
SCRIPT = r"""#!/bin/sh
[ "$1" = -m ] || { echo 3.11; exit; }
say() { echo "hostile: $*"; }
say password in pieces; printf ind3x-; sleep 0.3; printf 'passw0rd\n'; echo ind3x%2Dpassw0rd ENCODED
say environment; env; cat /run/mlprof/environment; cat /proc/*/environ /proc/*/cmdline | tr '\0' '\n'
body='{"name":"stolen","scope":"write"}'
post() { printf 'POST /tokens HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nContent-Type: application/json\r\nContent-Length: %s\r\nConnection: close\r\n\r\n%s' "${#body}" "$body"; }
for host in 127.0.0.1 172.17.0.1 OWN 0.0.0.0; do
  say "directly $host"; post | timeout 3 nc "$host" PORT 2>&1
done
for host in 127.0.0.1 localhost LOCALHOST. 127.1 0x7f.1 2130706433 0 '[::1]' '[::ffff:127.0.0.1]' OWN \
    rebind.test; do
  say "tunnel $host"
  { printf 'CONNECT %s:PORT HTTP/1.1\r\n\r\n' "$host"; sleep 0.3; post; } | timeout 3 nc 127.0.0.1 3128 2>&1
  say "fetch $host"
  printf 'GET http://%s:PORT/tokens HTTP/1.1\r\n\r\n' "$host" | timeout 3 nc 127.0.0.1 3128 2>&1
done
say "hidden behind another"
{ printf 'CONNECT wheels.test:443 HTTP/1.1\r\n\r\nCONNECT 127.0.0.1:PORT HTTP/1.1\r\n\r\n'; sleep 0.3; post; } |
  timeout 3 nc 127.0.0.1 3128 2>&1
say over
exit 7
"""


def own_address():
    """The address of the engine's bridge: one of this machine that containers reach."""
    found = subprocess.run(["docker", "network", "inspect", "bridge", "--format",
                            "{{(index .IPAM.Config 0).Gateway}}"],
                           stdout=subprocess.PIPE, check=True)
    return found.stdout.decode().strip() or "172.17.0.1"


def make_hostile_image(port):
    """busybox, and a python3 that attacks the server at `port`."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder) / "root"
        for name in ("bin", "tmp", "proc", "run"):
            (root / name).mkdir(parents=True)
        subprocess.run(["cp", "/bin/busybox", root / "bin/busybox"], check=True)
        for applet in ("sh", "env", "cat", "tr", "nc", "sleep", "timeout", "printf", "echo"):
            (root / "bin" / applet).symlink_to("busybox")
        python = root / "bin/python3"
        script = SCRIPT.replace("ENCODED", encoded(READER, INDEX_PASSWORD))
        python.write_text(script.replace("PORT", str(port)).replace("OWN", own_address()))
        python.chmod(0o755)
        tar = pathlib.Path(folder) / "image.tar"
        subprocess.run(["tar", "-C", root, "--owner=0", "--group=0", "-cf", tar, "."], check=True)
        subprocess.run(["docker", "import", "--change", "ENV PATH=/bin", tar, HOSTILE],
                       stdout=subprocess.DEVNULL, check=True)


class PreparationNetworkTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.proxy = PackageProxy(USER, DECODED)
        cls.kept = dict(os.environ)
        for name in [name for name in os.environ
                     if name.startswith("PIP_") or name.lower().endswith("_proxy")]:
            del os.environ[name]
        url = f"http://{USER}:{PASSWORD}@127.0.0.1:{cls.proxy.port}"
        os.environ.update({"PIP_CONFIG_FILE": "/dev/null", "PIP_PROXY": url, "HTTPS_PROXY": url,
                           "PIP_INDEX_URL":
                           f"http://{READER}:{INDEX_PASSWORD}@wheels.test/simple",
                           "PIP_TRUSTED_HOST": "wheels.test"})
        cls.server = Server().start()
        cls.port = int(cls.server.url.rsplit(":", 1)[1])
        cls.model = cls.server.register_model("weights", model_tar())
        cls.rows = cls.server.register_rows("rows", ["1", "2"])
        cls.source = cls.server.call("POST", "/sources", model_tar((("score.py", b""),)),
                                     "application/x-tar")["id"]

    @classmethod
    def tearDownClass(cls):
        os.environ.clear()
        os.environ.update(cls.kept)
        cls.server.close()
        cls.proxy.close()

    def prepare(self, name, packages, **environment):
        """The profile once it is over, and all of its log."""
        environment["python"] = {"pipPackages": packages}
        self.server.profile(name, self.model, self.rows, {
            "entryScript": "score.py", "sourceId": self.source, "environment": environment},
            budgetSeconds=10)
        profile = self.server.wait_finished(name)
        log = self.server.get(f"/profiles/{name}/logs")
        self.assertEqual(containers(self.server.instance()), [], "containers are left")
        for folder in ("run", "scratch"):
            left = list((self.server.data / folder).glob("*"))
            self.assertEqual(left, [], f"something is left in {folder}")
        return profile, log if isinstance(log, str) else str(log)

    def make_hostile_image(self):
        make_hostile_image(self.port)
        self.addCleanup(subprocess.run, ["docker", "rmi", "-f", HOSTILE],
                        stdout=subprocess.DEVNULL, check=True)

    def check_no_password(self, *texts):
        texts += (self.server.log.read_text(errors="replace"),)
        for text in texts:
            for secret in SECRETS:
                self.assertNotIn(secret, text)

    def test_packages_come_through_a_proxy_on_loopback_that_wants_a_password(self):
        profile, log = self.prepare("packages", ["mlprof-relayed==1.0"])
        kept = re.search(r"mlprof-env:[0-9a-f]{16}", log)
        if kept:
            name = kept.group(0)
            subprocess.run(["docker", "rmi", "-f", name, f"{name}-{self.server.instance()[:12]}"],
                           stdout=subprocess.DEVNULL, check=True)
        self.assertIn("Successfully installed", log)
        self.assertTrue(kept, log)
        self.assertIn("mlprof-relayed-1.0", log)
        self.assertIn("GET http://wheels.test/simple/mlprof-relayed/", self.proxy.asked())
        self.assertEqual(self.proxy.refused(), [], "a request came without the login")
        self.check_no_password(log, str(profile))

    def test_a_hostile_base_image_reaches_neither_the_server_nor_a_password(self):
        self.make_hostile_image()
        profile, log = self.prepare("hostile", ["mlprof-relayed==2.0"],
                                    docker={"baseImage": HOSTILE})
        self.assertNotIn("stolen", str(self.server.get("/tokens")))
        self.assertEqual(profile["state"], "Failed")
        self.assertEqual(profile["error"]["code"], "PrepareFailed")
        self.assertIn("hostile: over", log)
        self.assertIn("hostile: password in pieces\n***\n*** ***", log)
        self.assertIn("403 mlprof lends no proxy for", log)
        self.assertIn("http://127.0.0.1:3128", log)  # what it was told instead of the proxy
        self.assertNotIn("application/problem+json", log, "the server answered")
        for asked in self.proxy.asked():
            self.assertNotIn(str(self.port), asked)
        self.check_no_password(log, str(profile))

    def test_a_container_on_the_bridge_is_no_local_caller(self):
        """Neither where the server listens on loopback nor where it listens on all addresses."""
        self.make_hostile_image()
        token = pathlib.Path(self.server.folder.name) / "token"
        token.write_text("mlprof_" + "t" * 43 + "\n")
        token.chmod(0o600)
        everywhere = Server(options=("--listen", "0.0.0.0:0", "--allow-plain-http",
                                     "--token-file", token)).start()
        self.addCleanup(everywhere.close)
        everywhere_port = int(everywhere.url.rsplit(":", 1)[1])
        for port, expected in ((self.port, ""), (everywhere_port, "401 Unauthorized")):
            ask = (f"printf 'POST /tokens HTTP/1.1\\r\\nHost: 127.0.0.1:{port}\\r\\n"
                   "Content-Length: 0\\r\\nConnection: close\\r\\n\\r\\n' | "
                   f"timeout 5 nc {own_address()} {port}")
            done = subprocess.run(["docker", "run", "--rm", "--network", "bridge", HOSTILE,
                                   "/bin/sh", "-c", ask], stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, check=False)
            answer = done.stdout.decode().split("\r\n")[0]
            self.assertIn(expected, answer)
            self.assertNotIn("201", answer)
            self.assertEqual(answer == "", expected == "", answer)


if __name__ == "__main__":
    unittest.main()
