"""The steps to TLS and tokens, run as README.md and docs/OPERATIONS.md write them."""

import contextlib
import io
import os
import pathlib
import re
import shutil
import signal
import sqlite3
import subprocess
import tarfile
import tempfile
import time
import unittest

from documented_steps import blocks, free_port, put
from server import BIN, Server

START_DEADLINE_S = 60


class CommandsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="mlprof-it-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.data = self.folder / "data"
        self.environment = {"HOME": str(self.folder), "PATH": f"{BIN}:{os.environ['PATH']}",
                            "MLPROF_LISTEN": "127.0.0.1:0"}  # 8080 may be another's

    def shell(self, text, **variables):
        return subprocess.run(["sh", "-c", text], cwd=self.folder, text=True, timeout=120,
                              check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env={**self.environment, **variables})

    def succeeds(self, text, **variables):
        done = self.shell(text, **variables)
        self.assertEqual(done.returncode, 0, f"{text}\n{done.stderr}")
        return done.stdout.strip()

    def start(self, command, line=rb"listening on https://\S+\n"):
        log = self.folder / "server.log"
        with open(log, "wb") as out:
            process = subprocess.Popen(["sh", "-c", "exec " + command], cwd=self.folder,
                                       env=self.environment, stdin=subprocess.DEVNULL, stdout=out,
                                       stderr=out)
        self.addCleanup(self.stop, process)
        deadline = time.monotonic() + START_DEADLINE_S
        while not re.search(line, log.read_bytes()):
            self.assertIsNone(process.poll(), log.read_text())
            self.assertLess(time.monotonic(), deadline, log.read_text())
            time.sleep(0.05)
        return process, log.read_text()

    def stop(self, process):
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(60), 0)


class DocumentedStepsTest(CommandsTest):
    def steps(self, page):
        """The commands from the token to the client, on a port and a directory of this test's."""
        port = free_port()
        lines = [line for block in blocks(page, "MLPROF_TOKEN=mlp_…")
                 + blocks(page, "mlprof token create ci") for line in block]
        create = next(line for line in lines if line.startswith("mlprof token create"))
        serve = next(line for line in lines if line.startswith("mlprof-server"))
        export = next(line for line in lines if line.startswith("export"))
        return put([create, serve, export], {
            "/var/lib/mlprof": self.data, "0.0.0.0:8443": f"0.0.0.0:{port}",
            "https://box.example:8443": f"https://localhost:{port}"})

    def check_tls_and_tokens(self, page):
        create, serve, export = self.steps(page)
        token = self.succeeds(create)
        self.assertRegex(token, r"^mlp_\S+$")
        process, _ = self.start(serve)
        shutil.copy(self.data / "tls/ca.pem", self.folder / "ca.pem")
        asks = put([export], {"mlp_…": token})[0] + "; mlprof model list"
        self.assertIn("ID", self.succeeds(asks))
        refused = self.shell(put([export], {"mlp_…": "mlp_wrong"})[0] + "; mlprof model list")
        self.assertEqual(refused.returncode, 1, refused.stderr)
        self.stop(process)

    def test_of_the_readme(self):
        self.check_tls_and_tokens("README.md")

    def test_of_operations(self):
        self.check_tls_and_tokens("docs/OPERATIONS.md")

    def test_for_scripts_of_azure(self):
        block = next(iter(blocks("README.md", "mlprof azure-env")))
        serve = put([line for line in block if line.startswith("mlprof-server")], {
            "127.0.0.1:8443": "127.0.0.1:0", "/var/lib/mlprof": self.data})[0].rstrip("& ")
        _, printed = self.start(serve)
        url = re.search(r"listening on (http://\S+)", printed).group(1)
        told = [line for line in block if line.startswith(("export MLPROF_SERVER", "eval"))]
        told = put(told, {"http://127.0.0.1:8080": url})
        self.assertEqual(len(told), 2, block)
        self.assertIn("SSL_CERT_FILE", self.succeeds("\n".join([*told, "env"])))


class TokensOfADirectoryTest(CommandsTest):
    """`mlprof token … --data-dir`, whoever has the directory."""

    def test_tokens_are_listed_and_revoked_without_a_server(self):
        where = f"--data-dir {self.data}"
        self.succeeds(f"mlprof token create one {where}; mlprof token create two {where}")
        self.assertEqual(self.succeeds(f"mlprof token list {where} -o tsv").count("\n"), 1)
        self.succeeds(f"mlprof token revoke one {where}")
        self.assertNotIn("one", self.succeeds(f"mlprof token list {where} -o tsv"))
        self.assertFalse((self.data / "server.json").exists())

    def test_a_directory_that_is_served_is_told_with_what_to_do(self):
        server = Server(data=self.folder).start()
        self.addCleanup(server.close)
        refused = self.shell(f"mlprof token create ci --data-dir {server.data}")
        self.assertEqual(refused.returncode, 4, refused.stderr)
        self.assertIn(f"(process {server.process.pid}) runs on {server.data}", refused.stderr)
        self.assertIn("--server http://", refused.stderr)
        self.succeeds(f"mlprof token create ci --server {server.url}")
        both = self.shell(f"mlprof token list --data-dir {server.data} --server {server.url}")
        self.assertEqual(both.returncode, 2, both.stderr)

    def test_profiles_that_wait_there_go_on_waiting(self):
        server = Server(data=self.folder, options=("--leave-profiles",)).start()
        self.addCleanup(server.close)
        model = server.register_model("m", tar_of_one_file())
        rows = server.register_rows("r", ["a", "b"])
        server.profile("p", model, rows, {"image": "mlprof-no-such-image:1", "port": 80})
        server.stop()
        before = self.profiles(server)
        self.assertEqual([state for state, _ in before], ["Queued"])
        self.succeeds(f"mlprof token create ci --data-dir {server.data}")
        self.assertEqual(self.profiles(server), before)

    def profiles(self, server):
        with contextlib.closing(sqlite3.connect(server.data / "mlprof.db")) as database:
            return database.execute("SELECT state, document FROM profiles").fetchall()


def tar_of_one_file():
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("weights"))
    return content.getvalue()


if __name__ == "__main__":
    unittest.main()
