"""The server and the document, both ways: the same routes, and every response as described."""

import unittest

import document
import routes_of_captures
import routes_of_comparisons
import routes_of_inputs
import routes_of_profiles
from routes_case import TEXT, RoutesCase


def load_tests(loader, own, _):
    """Those of all themes: the last of this file's asks what none of them saw."""
    modules = (routes_of_captures, routes_of_comparisons, routes_of_inputs, routes_of_profiles)
    themes = [loader.loadTestsFromModule(theme) for theme in modules]
    return unittest.TestSuite([*themes, own])


class RoutesTest(RoutesCase):
    def test_server_and_document_have_the_same_routes(self):
        self.assertEqual(self.server.routes, set(self.server.document.operations()))

    def test_tokens(self):
        made = self.ask(201, "POST", "/tokens", {"name": "ci", "scope": "read"}).json
        self.assertIsNone(made["expiresTime"])
        self.assertEqual(made["scope"], "read")
        self.ask(409, "POST", "/tokens", {"name": "ci", "scope": "write"})
        short = self.ask(201, "POST", "/tokens", {"name": "short", "scope": "write",
                                                  "expiresInDays": 1}).json
        self.assertGreater(short["expiresTime"], short["createdTime"])
        listed = self.ask(200, "GET", "/tokens").json["value"]
        self.assertEqual([token["name"] for token in listed], ["short", "ci"])
        page = self.ask(200, "GET", "/tokens?top=1").json
        rest = self.ask(200, "GET", f"/tokens?top=1&cursor={page['nextCursor']}").json
        self.assertEqual(rest["value"][0]["name"], "ci")
        for secret in (made["token"], short["token"]):
            self.assertNotIn(secret.encode(), self.ask(200, "GET", "/tokens").body)
        self.ask(204, "DELETE", f"/tokens/{made['id']}")
        self.ask(204, "DELETE", "/tokens/short")
        self.ask(404, "DELETE", "/tokens/short")
        self.assertEqual(self.ask(200, "GET", "/tokens").json["value"], [])

    def test_bad_tokens(self):
        bad = self.ask(400, "POST", "/tokens", {"name": "a b", "scope": "all", "expiresInDays": 0,
                                                "what": 1})
        self.assertEqual(self.pointers(bad), ["/expiresInDays", "/name", "/scope", "/what"])
        self.assertEqual(self.pointers(self.ask(400, "POST", "/tokens", {})), ["/name", "/scope"])
        self.ask(415, "POST", "/tokens", "{}", TEXT)
        self.ask(400, "GET", "/tokens?cursor=x")
        self.ask(400, "GET", "/tokens?what=1")

    def test_what_is_beyond_its_limits_goes_and_profiles_where_that_is_asked(self):
        self.register("gone")
        self.create("gone")
        self.assertEqual(self.events("gone")[-1]["event"], "done")
        older = {"profilesOlderThanSeconds": 0}
        would = self.ask(200, "POST", "/gc", {"dryRun": True, **older}).json
        self.assertEqual(sorted((item["kind"], item["action"]) for item in would["items"]),
                         [("image", "removed"), ("profile", "removed")])
        self.assertEqual(would["freedBytes"], sum(item["bytes"] for item in would["items"]))
        self.ask(200, "GET", "/profiles/gone")
        alone = self.ask(200, "POST", "/gc", {}).json
        self.assertEqual([item["id"] for item in alone["items"]], ["mlprof-env:0123456789abcdef"])
        self.assertEqual((alone["dryRun"], alone["notes"]), (False, []))
        self.ask(200, "GET", "/profiles/gone")
        did = self.ask(200, "POST", "/gc", older).json
        # Not its bytes: its last event is stored a moment after it was told.
        self.assertEqual([{**item, "bytes": 0} for item in would["items"]
                          if item["kind"] == "profile"],
                         [{**item, "bytes": 0} for item in did["items"]])
        self.ask(404, "GET", "/profiles/gone")
        self.assertIn('mlprof_stored_bytes{kind="database"}',
                      self.ask(200, "GET", "/metrics").body.decode())

    def test_bad_looks_at_what_may_go(self):
        bad = self.ask(400, "POST", "/gc", {"dryRun": 1, "profilesOlderThanSeconds": -1, "what": 2})
        self.assertEqual(self.pointers(bad), ["/dryRun", "/profilesOlderThanSeconds", "/what"])
        self.ask(400, "POST", "/gc?force=true", {})
        self.ask(415, "POST", "/gc", "{}", TEXT)

    def test_workspaces_are_apart(self):
        self.ask(201, "POST", "/datasets?name=apart&workspace=s/g/w", "a\n", TEXT)
        self.ask(404, "GET", "/datasets/apart")
        self.ask(200, "GET", "/datasets/apart?workspace=s/g/w")
        self.ask(200, "GET", "/?workspace=s/g/w")
        names = [item["name"] for item in self.ask(200, "GET", "/workspaces").json["value"]]
        self.assertIn("s/g/w", names)

    def test_the_server_itself(self):
        for path in ("/healthz", "/readyz", "/version", "/metrics", "/openapi.yaml"):
            self.ask(200, "GET", path)
        with open(document.PATH, "rb") as file:
            self.assertEqual(self.server.raw("GET", "/openapi.yaml").body, file.read())

    def test_other_sites_are_refused(self):
        for headers in ({"Host": "evil.example"}, {"Origin": "http://evil.example"},
                        {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}):
            for method, path in (("GET", "/models"), ("DELETE", "/models/m"),
                                 ("POST", "/profiles/p/cancel")):
                with self.subTest(headers=headers, method=method):
                    self.ask(403, method, path, headers=headers)
        ours = {"Origin": f"http://localhost:{self.server.port}", "Sec-Fetch-Site": "same-origin"}
        self.ask(200, "GET", "/models", headers=ours)

    def test_the_server_refuses_with_problems(self):
        for status, method, path in [(404, "GET", "/nothing"), (405, "PUT", "/models"),
                                     (400, "GET", "/models/%2e%2e"), (400, "GET", "/models/%zz")]:
            response = self.server.raw(method, path)
            self.assertEqual((response.status, response.type), (status, "application/problem+json"))
            schema = self.server.document.tree["components"]["schemas"]["Problem"]
            self.assertEqual(self.server.document.problems(response.json, schema), [])
        self.assertEqual(self.server.raw("PUT", "/models").headers["Allow"], "GET, HEAD, POST")

    # Its name sorts it last: it asks what the tests above never saw.
    def test_zz_every_operation_gave_every_response(self):
        told = self.server.responses
        for (method, path), operation in self.server.document.operations().items():
            wanted = [int(status) for status in operation["responses"] if status[:1] in "25"]
            wanted = [status for status in wanted if status != 503]
            for status in wanted:
                with self.subTest(method=method, path=path, status=status):
                    self.assertTrue((method, path, status) in told)


if __name__ == "__main__":
    unittest.main()
