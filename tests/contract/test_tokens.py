"""Every route of the document with every kind of token, in a server that asks everybody for one."""

import concurrent.futures
import http.client
import os
import pathlib
import subprocess
import tempfile
import unittest

from server import Server

BIN = pathlib.Path(os.environ["MLPROF_BIN"])
# Bodies that a route refuses for what is in them, after the caller was let in.
BODY = {"POST": b"", "PATCH": b"", "PUT": b""}


class EveryRouteTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("--tokens")
        cls.server.token = cls.server.tokens["write"]

    @classmethod
    def tearDownClass(cls):
        assert cls.server.stop() == 0

    def operations(self):
        for method, path in sorted(self.server.document.operations()):
            for name in ("id", "name", "tool", "path"):
                path = path.replace("{%s}" % name, "nothing")
            yield method, path

    def status(self, method, path, authorization):
        headers = {"Authorization": authorization} if authorization is not None else {}
        response = self.server.raw(method, path, BODY.get(method), headers)
        if response.status in (401, 403):
            self.assertEqual(response.type, "application/problem+json")
            self.assertIn("Bearer", response.headers["WWW-Authenticate"])
        if response.status in (401, 403) and method != "HEAD":
            schema = self.server.document.tree["components"]["schemas"]["Problem"]
            self.assertEqual(self.server.document.problems(response.json, schema), [])
        return response.status

    def test_no_route_lets_a_bad_token_in(self):
        tokens = self.server.tokens
        bad = {
            "none": None,
            "wrong": "Bearer mlp_" + "0" * 64,
            "expired": "Bearer " + tokens["expired"],
            "revoked": "Bearer " + tokens["revoked"],
            "of another scheme": "Basic " + tokens["write"],
            "cut short": "Bearer " + tokens["write"][:-1],
            "longer": "Bearer " + tokens["write"] + "0",
            "in the query": None,
        }
        count = 0
        for method, path in self.operations():
            for kind, authorization in bad.items():
                target = path
                if kind == "in the query":
                    target += f"?access_token={tokens['write']}&token={tokens['write']}"
                with self.subTest(method=method, path=path, token=kind):
                    self.assertEqual(self.status(method, target, authorization), 401)
                count += 1
        self.assertGreater(count, 250)

    def test_a_read_token_reads_and_no_more(self):
        for method, path in self.operations():
            with self.subTest(method=method, path=path):
                status = self.status(method, path, "Bearer " + self.server.tokens["read"])
                if method == "GET":
                    self.assertNotIn(status, (401, 403))
                else:
                    self.assertEqual(status, 403)

    def test_a_write_token_may_call_every_route(self):
        for method, path in self.operations():
            with self.subTest(method=method, path=path):
                status = self.status(method, path, "Bearer " + self.server.tokens["write"])
                self.assertNotIn(status, (401, 403))

    def test_what_is_not_there_is_not_told_to_strangers(self):
        self.assertEqual(self.status("GET", "/nothing", None), 401)
        self.assertEqual(self.status("PUT", "/models", None), 401)
        self.assertEqual(self.status("OPTIONS", "/models", None), 401)
        self.assertEqual(self.status("HEAD", "/models", None), 401)

    def test_a_revoked_token_is_refused_with_the_next_request(self):
        made = self.server.ask("POST", "/tokens", {"name": "gone", "scope": "write"}).json
        mine = {"Authorization": "Bearer " + made["token"]}
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=60)
        self.addCleanup(connection.close)
        for expected in (200, 401):
            connection.request("GET", "/models", headers=mine)
            response = connection.getresponse()
            response.read()
            self.assertEqual(response.status, expected)
            if expected == 200:
                self.assertEqual(self.server.ask("DELETE", "/tokens/gone").status, 204)
                if response.will_close:
                    connection.close()

    def test_a_token_notes_the_day_of_its_use(self):
        made = self.server.ask("POST", "/tokens", {"name": "used", "scope": "read"}).json
        self.assertIsNone(made["lastUsedDay"])
        self.server.raw("GET", "/models", headers={"Authorization": "Bearer " + made["token"]})
        listed = self.server.ask("GET", "/tokens").json["value"]
        day = next(token["lastUsedDay"] for token in listed if token["name"] == "used")
        self.assertRegex(day, r"^\d{4}-\d\d-\d\d$")

    def test_secrets_are_in_no_response_and_no_file(self):
        secrets = [secret.encode() for secret in self.server.tokens.values()]
        for path in ("/metrics", "/tokens", "/", "/models"):
            body = self.server.ask("GET", path).body
            self.assertFalse([secret for secret in secrets if secret in body], path)
        for file in pathlib.Path(self.server.directory.name).rglob("*"):
            if file.is_file():
                content = file.read_bytes()
                self.assertFalse([secret for secret in secrets if secret in content], file)

    def test_many_at_once_make_one_token_of_a_name(self):
        def make(_):
            return self.server.raw("POST", "/tokens", '{"name":"one","scope":"read"}',
                                   {"Authorization": "Bearer " + self.server.token,
                                    "Content-Type": "application/json"}).status

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            statuses = sorted(pool.map(make, range(8)))
        self.assertEqual(statuses, [201] + [409] * 7)


class CommandLineTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("--tokens")
        cls.home = tempfile.TemporaryDirectory()

    @classmethod
    def tearDownClass(cls):
        cls.home.cleanup()
        assert cls.server.stop() == 0

    def run_mlprof(self, *arguments, token=None):
        environment = {"HOME": self.home.name, "MLPROF_SERVER": self.url()}
        if token:
            environment["MLPROF_TOKEN"] = token
        return subprocess.run([BIN / "mlprof", *arguments], env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60,
                              check=False)

    def url(self):
        return f"http://127.0.0.1:{self.server.port}"

    def test_makes_lists_uses_and_revokes(self):
        mine = self.server.tokens["write"]
        made = self.run_mlprof("token", "create", "ci", "--scope", "read", token=mine)
        self.assertEqual(made.returncode, 0, made.stderr)
        secret = made.stdout.strip()
        self.assertRegex(secret, r"^mlp_[0-9a-f]{64}$")
        self.assertEqual(self.run_mlprof("model", "list", token=secret).returncode, 0)
        refused = self.run_mlprof("token", "create", "more", token=secret)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("may only read", refused.stderr)
        listed = self.run_mlprof("token", "list", token=mine)
        self.assertRegex(listed.stdout, r"ci +read")
        self.assertEqual(self.run_mlprof("token", "revoke", "ci", token=mine).returncode, 0)
        again = self.run_mlprof("model", "list", token=secret)
        self.assertEqual(again.returncode, 1)
        self.assertIn("revoked", again.stderr)

    def test_says_where_a_token_comes_from(self):
        refused = self.run_mlprof("model", "list")
        self.assertEqual(refused.returncode, 1)
        self.assertIn("MLPROF_TOKEN", refused.stderr)
        self.assertIn("mlprof token create", refused.stderr)


if __name__ == "__main__":
    unittest.main()
