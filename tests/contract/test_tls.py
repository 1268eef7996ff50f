"""The server over TLS as strict clients see it: its certificate, its protocols, its refusals."""

import fcntl
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import ssl
import subprocess
import tempfile
import unittest
import urllib.request

from server import Server

BIN = pathlib.Path(os.environ["MLPROF_BIN"])


def strict(ca):
    context = ssl.create_default_context(cafile=ca)
    context.verify_flags |= ssl.VERIFY_X509_STRICT
    return context


class TlsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("--tokens", "--tls")
        cls.home = tempfile.TemporaryDirectory()

    @classmethod
    def tearDownClass(cls):
        cls.home.cleanup()
        assert cls.server.stop() == 0

    def get(self, host, path, context=None, token="write"):
        connection = http.client.HTTPSConnection(
            host, self.server.tls_port, timeout=60, context=context or strict(self.server.ca))
        try:
            connection.request("GET", path, headers={
                "Authorization": "Bearer " + self.server.tokens[token]})
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def test_strict_verification_passes_by_name_and_address(self):
        for host in ("127.0.0.1", "localhost"):
            with self.subTest(host=host):
                self.assertEqual(self.get(host, "/healthz"), (200, b'{"status":"ok"}'))

    def test_tokens_count_as_without_tls(self):
        self.assertEqual(self.get("localhost", "/models", token="expired")[0], 401)

    def test_another_name_is_refused_by_the_client(self):
        with socket.create_connection(("127.0.0.1", self.server.tls_port)) as plain:
            with self.assertRaises(ssl.SSLCertVerificationError):
                strict(self.server.ca).wrap_socket(plain, server_hostname="box.example")

    def test_without_the_ca_the_client_refuses(self):
        with self.assertRaises(ssl.SSLCertVerificationError):
            self.get("localhost", "/healthz", ssl.create_default_context())

    def test_old_protocols_are_refused(self):
        context = strict(self.server.ca)
        context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_2
        self.assertEqual(self.get("localhost", "/healthz", context)[0], 200)
        context.set_ciphers("DEFAULT:@SECLEVEL=0")
        context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
        with self.assertRaises((ssl.SSLError, ConnectionError)):
            self.get("localhost", "/healthz", context)

    def test_http_1_1_is_chosen_and_nothing_else(self):
        for offered, chosen in ((["h2", "http/1.1"], "http/1.1"), (["ftp"], None)):
            context = strict(self.server.ca)
            context.set_alpn_protocols(offered)
            with self.subTest(offered=offered):
                with socket.create_connection(("127.0.0.1", self.server.tls_port)) as plain:
                    if chosen is None:
                        with self.assertRaises(ssl.SSLError):
                            context.wrap_socket(plain, server_hostname="localhost")
                        continue
                    with context.wrap_socket(plain, server_hostname="localhost") as wrapped:
                        self.assertEqual(wrapped.selected_alpn_protocol(), chosen)

    def test_plain_http_gets_no_response_and_harms_nobody(self):
        with socket.create_connection(("127.0.0.1", self.server.tls_port), timeout=60) as plain:
            plain.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            try:
                self.assertNotIn(b"HTTP", plain.recv(1000))
            except ConnectionError:
                pass
        self.assertEqual(self.get("localhost", "/healthz")[0], 200)

    def test_the_keys_are_for_their_owner_alone(self):
        folder = pathlib.Path(self.server.ca).parent
        for name in ("ca.key", "server.key"):
            self.assertEqual((folder / name).stat().st_mode & 0o777, 0o600, name)
        for name in ("ca.pem", "server.pem"):
            self.assertNotIn("PRIVATE", (folder / name).read_text())

    def test_curl_takes_the_ca(self):
        done = subprocess.run(
            ["curl", "-sS", "--cacert", self.server.ca, "-H",
             "Authorization: Bearer " + self.server.tokens["read"],
             f"https://127.0.0.1:{self.server.tls_port}/healthz"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60, check=False)
        self.assertEqual(done.stdout, '{"status":"ok"}')

    def run_mlprof(self, *arguments, host="127.0.0.1", port=None, **variables):
        environment = {"HOME": self.home.name, "MLPROF_TOKEN": self.server.tokens["write"],
                       "MLPROF_SERVER": f"https://{host}:{port or self.server.tls_port}",
                       **variables}
        return subprocess.run([BIN / "mlprof", *arguments], env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60,
                              check=False)

    def test_the_command_line_takes_the_ca(self):
        for host in ("127.0.0.1", "localhost"):
            listed = self.run_mlprof("model", "list", "-o", "json", host=host,
                                     MLPROF_CA=self.server.ca)
            self.assertEqual(listed.returncode, 0, listed.stderr)
            self.assertEqual(json.loads(listed.stdout)["value"], [])

    def test_the_command_line_takes_server_token_and_ca_from_its_config_file(self):
        folder = pathlib.Path(self.home.name) / "config"
        (folder / "mlprof").mkdir(parents=True)
        file = folder / "mlprof" / "config.json"
        file.write_text(json.dumps({
            "server": f"https://localhost:{self.server.tls_port}", "ca": self.server.ca,
            "token": self.server.tokens["read"]}))
        environment = {"HOME": self.home.name, "XDG_CONFIG_HOME": str(folder)}
        for mode, status in ((0o644, 2), (0o600, 0)):
            file.chmod(mode)
            listed = subprocess.run([BIN / "mlprof", "model", "list"], env=environment, text=True,
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60,
                                    check=False)
            self.assertEqual(listed.returncode, status, listed.stderr)

    def test_the_command_line_says_what_is_wrong_with_a_certificate(self):
        unknown = self.run_mlprof("model", "list")
        self.assertEqual(unknown.returncode, 4)
        self.assertIn("MLPROF_CA", unknown.stderr)
        missing = self.run_mlprof("model", "list", MLPROF_CA="/nowhere.pem")
        self.assertEqual(missing.returncode, 2)
        self.assertIn("/nowhere.pem", missing.stderr)
        plain = self.run_mlprof("model", "list", port=self.server.port, MLPROF_CA=self.server.ca)
        self.assertEqual(plain.returncode, 4)
        self.assertIn("http://", plain.stderr)


class ProgramTest(unittest.TestCase):
    """mlprof-server itself; no engine is needed for what is asked here."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.environment = {"HOME": folder.name, "PATH": os.environ["PATH"],
                            "DOCKER_HOST": f"unix://{folder.name}/no-engine.sock"}

    def start(self, *options):
        process = subprocess.Popen(
            [BIN / "mlprof-server", "--listen", "127.0.0.1:0", "--data-dir", self.folder / "data",
             *options], env=self.environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait, 60)
        self.addCleanup(process.send_signal, signal.SIGTERM)
        urls = [re.search(r"listening on (\S+)", process.stdout.readline()).group(1)
                for _ in range(2 if "--tls-listen" in options else 1)]
        return process, urls

    def stop(self, process):
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(60), 0)

    def refusal(self, *options):
        tried = subprocess.run(
            [BIN / "mlprof-server", "--data-dir", self.folder / "data", *options],
            env=self.environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            timeout=60, check=False)
        self.assertNotEqual(tried.returncode, 0)
        return tried.stderr.strip().split("\n")[-1]

    def run_mlprof(self, *arguments, **variables):
        return subprocess.run([BIN / "mlprof", *arguments], text=True, timeout=60, check=False,
                              env={"HOME": str(self.folder), **variables},
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def mlprof(self, *arguments, **variables):
        done = self.run_mlprof(*arguments, **variables)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def test_other_machines_are_served_over_tls_once_there_is_a_token(self):
        self.assertIn("mlprof token create", self.refusal("--tls-listen", "0.0.0.0:0"))
        self.assertIn("--tls-listen", self.refusal("--listen", "0.0.0.0:0"))
        self.assertIn("mlprof token create", self.refusal("--listen", "127.0.0.1:0",
                                                          "--require-token"))
        process, (url,) = self.start()
        secret = self.mlprof("--server", url, "token", "create", "ci")
        self.stop(process)
        process, (_, url) = self.start("--tls-listen", "0.0.0.0:0", "--public-url",
                                       "https://box.example:8443", "--require-token")
        self.assertTrue(url.startswith("https://0.0.0.0:"), url)
        reachable = url.replace("0.0.0.0", "127.0.0.1")
        ca = str(self.folder / "data" / "tls" / "ca.pem")
        self.assertIn("ci", self.mlprof("token", "list", MLPROF_SERVER=reachable, MLPROF_CA=ca,
                                        MLPROF_TOKEN=secret))
        other = self.run_mlprof("token", "list", MLPROF_CA=ca, MLPROF_TOKEN=secret,
                                MLPROF_SERVER=url.replace("0.0.0.0", "127.0.0.2"))
        self.assertEqual(other.returncode, 4)
        self.assertIn("is for other names", other.stderr)
        port = int(url.rsplit(":", 1)[1])
        with socket.create_connection(("127.0.0.1", port), timeout=60) as plain:
            with strict(ca).wrap_socket(plain, server_hostname="box.example") as wrapped:
                wrapped.sendall(b"GET /healthz HTTP/1.1\r\nHost: box.example:8443\r\n"
                                b"Connection: close\r\nAuthorization: Bearer "
                                + secret.encode() + b"\r\n\r\n")
                self.assertTrue(wrapped.recv(100).startswith(b"HTTP/1.1 200 "))
        self.stop(process)
        self.assertIn("in the clear", self.refusal("--listen", "0.0.0.0:0"))

    def version(self, url, context=None):
        with urllib.request.urlopen(url + "/version", timeout=60, context=context) as response:
            return json.load(response)

    def test_the_version_tells_where_tls_is_and_whose_certificate(self):
        process, (plain, _) = self.start("--tls-listen", "127.0.0.1:0")
        tls = self.version(plain)["tls"]
        context = ssl.create_default_context(cadata=tls["caCertificate"])
        self.assertEqual(self.version(tls["url"], context)["tls"], tls)
        self.stop(process)
        folder = self.folder / "data" / "tls"
        process, (plain, url) = self.start("--tls-listen", "127.0.0.1:0", "--tls-cert",
                                           folder / "server.pem", "--tls-key", folder / "server.key")
        self.assertEqual(self.version(plain)["tls"], {"url": url})
        self.stop(process)
        process, (plain,) = self.start()
        self.assertNotIn("tls", self.version(plain))

    def test_the_private_server_is_shared_and_wants_its_token(self):
        # A user of the private server for as long as this holds its lock.
        data = self.folder / ".local" / "share" / "mlprof"
        data.mkdir(parents=True)
        holder = open(data / "users.lock", "w")
        self.addCleanup(holder.close)
        fcntl.flock(holder, fcntl.LOCK_SH)
        variables = {"DOCKER_HOST": self.environment["DOCKER_HOST"]}
        self.mlprof("model", "list", **variables)
        file = data / "server.json"
        self.assertEqual(file.stat().st_mode & 0o777, 0o600)
        first = json.loads(file.read_text())
        self.assertFalse((data / "server.token").exists())
        self.mlprof("model", "list", **variables)
        self.assertEqual(json.loads(file.read_text()), first)
        port = int(first["url"].rsplit(":", 1)[1])
        for headers, status in (({}, 401), ({"Authorization": "Bearer " + first["token"]}, 200)):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            connection.request("GET", "/models", headers=headers)
            self.assertEqual(connection.getresponse().status, status)
            connection.close()
        arguments = pathlib.Path(f"/proc/{first['pid']}/cmdline").read_text()
        self.assertNotIn(first["token"], arguments)
        environment = pathlib.Path(f"/proc/{first['pid']}/environ").read_text()
        self.assertNotIn(first["token"], environment)
        # Unused, it ends; whoever needs its data directory next waits for that.
        holder.close()
        self.stop(self.start("--data-dir", data)[0])


if __name__ == "__main__":
    unittest.main()
