"""The server and the document, both ways: the same routes, and every answer as it is described."""

import io
import json
import tarfile
import unittest

import document
from server import Server

JSON = {"Content-Type": "application/json"}
TAR = {"Content-Type": "application/x-tar"}
TEXT = {"Content-Type": "text/plain"}
IMAGE = {"image": "sentiment-server:1", "writablePaths": ["/data"]}


def tar(**files):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text.encode()))
    return buffer.getvalue()


class RoutesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()

    @classmethod
    def tearDownClass(cls):
        assert cls.server.stop() == 0

    def ask(self, status, method, target, body=None, headers=None):
        answer = self.server.ask(method, target, body, headers)
        self.assertEqual(answer.status, status, answer.body[:2000])
        return answer

    def pointers(self, answer):
        return sorted(error["pointer"] for error in answer.json.get("errors", []))

    def register(self, name):
        self.ask(201, "POST", f"/models?name={name}", tar(weights="1"), TAR)
        self.ask(201, "POST", f"/datasets?name={name}", "one\ntwo\nthree\n", TEXT)

    def create(self, name, **more):
        body = {"name": name, "modelIds": [name], "inputDatasetId": name, "inferenceConfig": IMAGE,
                "budgetSeconds": 10, **more}
        return self.ask(202, "POST", "/profiles", body)

    def events(self, name, after=None):
        headers = {"Last-Event-ID": after} if after else {}
        text = self.ask(200, "GET", f"/profiles/{name}/events", headers=headers).body.decode()
        events = []
        for block in text.split("\n\n"):
            fields = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line)
            if "event" in fields:
                json.loads(fields["data"])
                events.append(fields)
        return events

    def test_server_and_document_have_the_same_routes(self):
        self.assertEqual(self.server.routes, set(self.server.document.operations()))

    def test_models(self):
        created = self.ask(201, "POST", "/models?name=m&description=d&tag=a=1&tag=b=x=y",
                           tar(weights="1"), TAR)
        self.assertEqual(created.headers["Location"], "/models/m:1")
        self.assertEqual(created.json["tags"], {"a": "1", "b": "x=y"})
        second = self.ask(201, "POST", "/models?name=m", tar(weights="2"), TAR)
        self.assertEqual(second.json["version"], 2)
        self.assertEqual(self.ask(200, "GET", "/models/m").json["id"], "m:2")
        listed = self.ask(200, "GET", "/models?name=m&tag=a&tag=b=x=y").json["value"]
        self.assertEqual([model["id"] for model in listed], ["m:1"])
        page = self.ask(200, "GET", "/models?name=m&top=1").json
        rest = self.ask(200, "GET", f"/models?name=m&top=1&cursor={page['nextCursor']}").json
        self.assertEqual([page["value"][0]["id"], rest["value"][0]["id"]], ["m:2", "m:1"])
        self.assertEqual(self.ask(200, "GET", "/models/m:2/content").body, tar(weights="2"))
        changed = self.ask(200, "PATCH", "/models/m:1", {
            "description": "e", "addTags": {"c": "3"}, "removeTags": ["a"],
            "addProperties": {"p": "q"}, "inferenceConfig": IMAGE}).json
        self.assertEqual((changed["description"], changed["tags"], changed["properties"]),
                         ("e", {"b": "x=y", "c": "3"}, {"p": "q"}))
        self.assertEqual(changed["inferenceConfig"]["image"], IMAGE["image"])
        self.ask(204, "DELETE", "/models/m:1")
        self.ask(404, "GET", "/models/m:1")
        self.ask(404, "GET", "/models/m:1/content")
        self.ask(404, "PATCH", "/models/m:1", {})
        self.ask(404, "DELETE", "/models/m:1")

    def test_bad_models(self):
        bad = self.ask(400, "POST", "/models?name=-&tag=a&workspace=a/b&what=1", tar(a="1"), TAR)
        self.assertEqual(self.pointers(bad), ["/name", "/tag", "/what", "/workspace"])
        self.ask(400, "POST", "/models?name=m", b"no tar", TAR)
        self.ask(415, "POST", "/models?name=m", tar(a="1"), TEXT)
        self.ask(400, "GET", "/models?top=0")
        patch = self.ask(400, "PATCH", "/models/m", {"addTags": {"a": 1}, "tags": {}})
        self.assertEqual(self.pointers(patch), ["/addTags/a", "/tags"])
        self.ask(415, "PATCH", "/models/m", "{}", TEXT)

    def test_datasets(self):
        for kind, body in [("text/plain", "a\r\n\r\nb\n"), ("application/jsonl", '"a"\n{"b":1}\n'),
                           ("text/csv", 'a\n"b,\n"\n'),
                           ("application/json", '{"rows":["a",{"base64":"/w=="}]}')]:
            with self.subTest(kind=kind):
                made = self.ask(201, "POST", "/datasets?name=d", body, {"Content-Type": kind}).json
                self.assertEqual(made["rowCount"], 2)
        self.assertEqual(self.ask(200, "GET", "/datasets/d:4/rows").json["value"],
                         ["a", {"base64": "/w=="}])
        page = self.ask(200, "GET", "/datasets/d:1/rows?top=1").json
        rest = self.ask(200, "GET", f"/datasets/d:1/rows?top=1&cursor={page['nextCursor']}").json
        self.assertEqual(page["value"] + rest["value"], ["a", "b"])
        self.assertIsNone(rest["nextCursor"])
        self.assertEqual(len(self.ask(200, "GET", "/datasets?name=d").json["value"]), 4)
        self.ask(200, "GET", "/datasets/d")
        self.ask(204, "DELETE", "/datasets/d:4")
        self.ask(404, "GET", "/datasets/d:4")
        self.ask(404, "GET", "/datasets/d:4/rows")
        self.ask(404, "DELETE", "/datasets/d:4")

    def test_bad_datasets(self):
        bad = self.ask(400, "POST", "/datasets?name=d", b"ok\n\xff\n", TEXT)
        self.assertEqual(self.pointers(bad), ["/rows/1"])
        self.ask(400, "POST", "/datasets", "a\n", TEXT)
        self.ask(415, "POST", "/datasets?name=d", "a\n", {"Content-Type": "image/png"})

    def test_sources(self):
        first = self.ask(201, "POST", "/sources", tar(score="def init(): pass"), TAR).json
        again = self.ask(201, "POST", "/sources", tar(score="def init(): pass"), TAR).json
        self.assertEqual(first, again)
        self.ask(400, "POST", "/sources?name=x", tar(score="1"), TAR)
        self.ask(415, "POST", "/sources", tar(score="1"), JSON)

    def test_a_profile_from_its_creation_to_its_end(self):
        self.register("whole")
        created = self.create("whole", objective={"concurrency": 2, "latencyInMs": {"p95": 5000}})
        self.assertEqual(created.headers["Location"], "/profiles/whole")
        self.assertEqual(created.json["modelIds"], ["whole:1"])
        self.assertEqual(created.json["objective"]["concurrency"], 2)
        self.ask(409, "DELETE", "/models/whole")
        self.ask(409, "DELETE", "/profiles/whole")
        self.ask(409, "POST", "/profiles/whole/apply")
        events = self.events("whole")
        self.assertEqual(events[-1]["event"], "done")
        ids = [int(event["id"]) for event in events]
        self.assertEqual(ids, sorted(set(ids)))
        later = self.events("whole", after=events[-2]["id"])
        self.assertEqual([event["event"] for event in later], ["done"])
        # So that a browser does not ask again for ever.
        for seen in (events[-1]["id"], "999999999"):
            end = self.ask(204, "GET", "/profiles/whole/events", headers={"Last-Event-ID": seen})
            self.assertEqual(end.body, b"")

        profile = self.ask(200, "GET", "/profiles/whole").json
        self.assertEqual(profile["state"], "Succeeded", profile)
        self.assertEqual(self.ask(200, "GET", f"/profiles/{profile['id']}").json, profile)
        answer = profile["recommendation"]
        self.assertEqual(answer["requestedMemoryInGb"] * 2**30, answer["requestedMemoryInBytes"])
        self.assertTrue(self.ask(200, "GET", "/profiles/whole/trials").json["value"])
        self.assertEqual(len(self.ask(200, "GET", "/profiles/whole/rows?top=2").json["value"]), 2)
        series = self.ask(200, "GET", "/profiles/whole/samples?from=0&maxPoints=50").json["series"]
        self.assertTrue(series["memoryInBytes"])
        self.ask(200, "GET", "/profiles/whole/logs")
        listed = self.ask(200, "GET", "/profiles?state=Succeeded&modelId=whole").json["value"]
        self.assertEqual([item["name"] for item in listed], ["whole"])
        page = self.ask(200, "GET", "/").body.decode()
        self.assertIn("whole", page)

        self.check_what_if("whole", profile)
        self.ask(200, "POST", "/profiles/whole/apply")
        self.assertEqual(self.ask(200, "GET", "/models/whole").json["tags"], answer["tags"])
        self.ask(409, "POST", "/profiles/whole/cancel")
        self.ask(409, "POST", "/profiles", {"name": "whole", "modelIds": ["whole"],
                                            "inputDatasetId": "whole", "inferenceConfig": IMAGE})
        self.ask(204, "DELETE", "/profiles/whole")
        for method, part in [("GET", ""), ("DELETE", ""), ("GET", "/events"), ("GET", "/samples"),
                             ("GET", "/trials"), ("GET", "/rows"), ("GET", "/logs"),
                             ("POST", "/cancel"), ("POST", "/apply")]:
            with self.subTest(method=method, part=part):
                self.ask(404, method, f"/profiles/whole{part}")

    def check_what_if(self, name, profile):
        route = f"/profiles/{name}/what-if"
        own = self.ask(200, "POST", route, {}).json
        for figure in ("requestedCpu", "requestedMemoryInBytes", "verified"):
            self.assertEqual(own[figure], profile["recommendation"][figure])
        roomier = self.ask(200, "POST", route, {"memoryMargin": 2}).json
        self.assertGreater(roomier["requestedMemoryInBytes"], own["requestedMemoryInBytes"])
        self.assertFalse(roomier["verified"])
        beyond = self.ask(200, "POST", route, {"objective": {"requestsPerSecond": 100000}}).json
        self.assertFalse(beyond["withinMeasured"])
        self.assertTrue(beyond["notes"])
        bad = self.ask(400, "POST", route, {"objective": {"concurrency": 0, "y": 1},
                                            "memoryMargin": -1, "x": 1})
        self.assertEqual(self.pointers(bad), ["/memoryMargin", "/objective/concurrency",
                                              "/objective/y", "/x"])
        self.ask(415, "POST", route, "{}", TEXT)

    def test_cancelling_a_profile(self):
        self.register("cancelled")
        self.create("cancelled", budgetSeconds=600)
        self.ask(202, "POST", "/profiles/cancelled/cancel")
        self.assertEqual(self.events("cancelled")[-1]["event"], "done")
        self.assertEqual(self.ask(200, "GET", "/profiles/cancelled").json["state"], "Canceled")

    def test_what_if_needs_an_answer_to_start_from(self):
        self.ask(404, "POST", "/profiles/nothing/what-if", {})
        self.register("unanswered")
        self.create("unanswered", budgetSeconds=600)
        self.ask(409, "POST", "/profiles/unanswered/what-if", {})
        self.ask(202, "POST", "/profiles/unanswered/cancel")

    def test_bad_profiles(self):
        bad = self.ask(400, "POST", "/profiles", {
            "modelIds": ["none"], "inputDatasetId": 1, "x": 1,
            "objective": {"concurrency": 1, "requestsPerSecond": 2}})
        self.assertEqual(self.pointers(bad),
                         ["/inputDatasetId", "/modelIds/0", "/objective/requestsPerSecond", "/x"])
        unknown = self.ask(400, "POST", "/profiles",
                           {"modelIds": ["none"], "inputDatasetId": "none"})
        self.assertIn("/modelIds/0", self.pointers(unknown))
        self.ask(400, "POST", "/profiles", "{", JSON)
        self.ask(415, "POST", "/profiles", "{}", TEXT)
        self.ask(400, "GET", "/profiles?state=Running&modelId=-")
        self.ask(400, "GET", "/profiles/p/samples?from=5&to=1&maxPoints=x")
        self.ask(400, "GET", "/profiles/p/events", headers={"Last-Event-ID": "x"})

    def test_a_load_that_is_not_given_is_one_request_at_a_time(self):
        self.register("one")
        made = self.create("one", objective={"latencyInMs": {"p95": 5000}}).json
        self.assertEqual(made["objective"]["concurrency"], 1)
        self.ask(202, "POST", "/profiles/one/cancel")

    def test_a_rate_excludes_a_concurrency_and_says_how_it_arrives(self):
        for arrivals in ("poisson", "constant"):
            with self.subTest(arrivals=arrivals):
                self.register(f"rate-{arrivals}")
                made = self.create(f"rate-{arrivals}",
                                   objective={"requestsPerSecond": 5, "arrivals": arrivals}).json
                self.assertEqual(made["objective"]["requestsPerSecond"], 5)
                self.assertEqual(made["objective"]["arrivals"], arrivals)
                self.assertIsNone(made["objective"]["concurrency"])
                self.ask(202, "POST", f"/profiles/{made['name']}/cancel")
        for objective in ({"arrivals": "poisson"}, {"requestsPerSecond": 5, "arrivals": "bursts"}):
            bad = self.ask(400, "POST", "/profiles", {"objective": objective})
            self.assertEqual(self.pointers(bad),
                             ["/inputDatasetId", "/modelIds", "/objective/arrivals"])

    def test_a_config_is_needed_from_somewhere(self):
        self.register("bare")
        answer = self.ask(400, "POST", "/profiles", {"modelIds": ["bare"],
                                                     "inputDatasetId": "bare"})
        self.assertEqual(self.pointers(answer), ["/inferenceConfig"])

    def test_what_comes_later_is_not_available(self):
        self.register("later")
        base = {"modelIds": ["later"], "inputDatasetId": "later", "inferenceConfig": IMAGE}
        for more in [{"accelerator": {"type": "gpu"}},
                     {"accelerator": {"type": "tpu", "count": 4}}]:
            with self.subTest(more=more):
                answer = self.ask(501, "POST", "/profiles", {**base, **more}).json
                self.assertEqual(answer["type"], "urn:mlprof:error:notAvailable")
        for method, path in [("GET", "/profiles/p/report"), ("GET", "/profiles/p/artifacts"), ("GET", "/profiles/p/artifacts/x"),
                             ("POST", "/captures"), ("GET", "/captures/c"),
                             ("GET", "/captures/c/tools/t")]:
            with self.subTest(method=method, path=path):
                self.ask(501, method, path, {} if method == "POST" else None)
        self.assertEqual(self.server.raw("GET", "/profiles/p/artifacts/a/b").status, 501)
        self.ask(501, "POST", "/captures", b"\0" * 1_000_000,
                 {"Content-Type": "application/octet-stream"})

    def test_an_idempotency_key_makes_one_resource(self):
        key = {"Idempotency-Key": "k1"}
        first = self.ask(201, "POST", "/models?name=once", tar(a="1"), {**TAR, **key})
        again = self.ask(201, "POST", "/models?name=once", tar(a="1"), {**TAR, **key})
        self.assertEqual(first.json, again.json)
        self.ask(422, "POST", "/models?name=once", tar(a="2"), {**TAR, **key})
        key = {"Idempotency-Key": "k2"}
        self.ask(201, "POST", "/datasets?name=once", "a\n", {**TEXT, **key})
        self.ask(422, "POST", "/datasets?name=once", "b\n", {**TEXT, **key})
        key = {"Idempotency-Key": "k4"}
        self.ask(201, "POST", "/sources", tar(a="1"), {**TAR, **key})
        self.ask(422, "POST", "/sources", tar(a="2"), {**TAR, **key})
        key = {"Idempotency-Key": "k3", **JSON}
        body = {"modelIds": ["once"], "inputDatasetId": "once", "inferenceConfig": IMAGE}
        made = self.ask(202, "POST", "/profiles", body, key).json
        self.assertEqual(self.ask(202, "POST", "/profiles", body, key).json["id"], made["id"])
        self.ask(422, "POST", "/profiles", {**body, "seed": 7}, key)
        self.ask(422, "POST", "/profiles", {**body, "modelIds": ["gone"]}, key)
        self.ask(202, "POST", f"/profiles/{made['name']}/cancel")
        self.ask(400, "POST", "/profiles", body, {"Idempotency-Key": "a b", **JSON})

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
            answer = self.server.raw(method, path)
            self.assertEqual((answer.status, answer.type), (status, "application/problem+json"))
            schema = self.server.document.tree["components"]["schemas"]["Problem"]
            self.assertEqual(self.server.document.problems(answer.json, schema), [])
        self.assertEqual(self.server.raw("PUT", "/models").headers["Allow"], "GET, HEAD, POST")

    # Its name sorts it last: it asks what the tests above never saw.
    def test_zz_every_operation_was_answered(self):
        told = self.server.answered
        for (method, path), operation in self.server.document.operations().items():
            wanted = [int(status) for status in operation["responses"] if status[:1] in "25"]
            wanted = [status for status in wanted if status != 503]
            for status in wanted:
                with self.subTest(method=method, path=path, status=status):
                    self.assertTrue((method, path, status) in told)


if __name__ == "__main__":
    unittest.main()
