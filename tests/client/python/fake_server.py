"""mlprof's REST interface in memory: enough for the package, and every request kept."""

import contextlib
import http.server
import json
import threading
import urllib.parse

PAGE = 2  # small, so that every list has several pages


class Request:
    def __init__(self, method, target, headers, body):
        parts = urllib.parse.urlsplit(target)
        self.method = method
        self.path = urllib.parse.unquote(parts.path)
        self.query = urllib.parse.parse_qs(parts.query)
        self.headers = headers
        self.body = body

    @property
    def json(self):
        return json.loads(self.body)


class Refusal(Exception):
    def __init__(self, status, detail, errors=()):
        super().__init__(detail)
        self.status = status
        self.problem = {"type": "urn:mlprof:error:x", "title": "Refused", "status": status,
                        "detail": detail}
        if errors:
            self.problem["errors"] = list(errors)


class FakeServer:
    """`url` answers until close(). Change `profile_steps` to say what a profile goes through."""

    def __init__(self):
        self.requests = []
        self.models = []
        self.contents = {}
        self.datasets = []
        self.dataset_warnings = []
        self.rows = {}
        self.profiles = {}
        self.profile_steps = [{}]  # each GET of a profile takes the next, in the end the last
        self.comparison = None
        self.comparison_states = []
        self.samples = {}
        self.series_info = {}
        self.token = None
        self.drops = 0  # so many requests are read and then get no response
        self.refusals = []  # the next requests get these
        self.lock = threading.Lock()
        handler = type("Handler", (_Handler,), {"fake": self})
        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}"
        self.thread = threading.Thread(target=self.http.serve_forever, args=(0.01,))
        self.thread.start()

    def close(self):
        self.http.shutdown()
        self.thread.join()
        self.http.server_close()

    def sent(self, method, path):
        """The requests of this method and path."""
        return [r for r in self.requests if (r.method, r.path) == (method, path)]

    def respond(self, request):
        """(status, JSON or bytes) of a request."""
        if self.token and request.headers.get("Authorization") != f"Bearer {self.token}":
            raise Refusal(401, "a token is needed")
        if self.refusals:
            raise self.refusals.pop(0)
        head, _, rest = request.path.lstrip("/").partition("/")
        return getattr(self, "on_" + head)(request, rest)

    def on_version(self, request, rest):
        return 200, {"name": "mlprof", "version": "0.1.0"}

    def on_sources(self, request, rest):
        self.contents["source"] = request.body
        return 201, {"id": "sha256:" + "0" * 64}

    # --- comparisons ---

    def on_comparisons(self, request, rest):
        """One at most, which goes through the states of `comparison_states`."""
        if request.method == "DELETE":
            return 204, b""
        if request.method == "POST" and not rest:
            self.comparison = {"id": "c0", "name": request.json["name"], "state": "Queued",
                               "variants": [{"name": variant["name"], "profileId": "0123"}
                                            for variant in request.json["variants"]],
                               "recommendation": None}
            return 202, self.comparison
        if self.comparison_states:
            self.comparison["state"] = self.comparison_states.pop(0)
        if self.comparison["state"] == "Succeeded":
            self.comparison["recommendation"] = {
                "variant": self.comparison["variants"][0]["name"], "because": "it is", "close": []}
        return 200, self.comparison

    # --- models ---

    def on_models(self, request, rest):
        if not rest:
            return self.register_model(request) if request.method == "POST" else self.list_models(
                request)
        id, _, part = rest.partition("/")
        model = self.find(self.models, id, "model")
        if part == "content":
            return 200, self.contents[model["id"]]
        if request.method == "DELETE":
            self.models.remove(model)
            return 204, b""
        if request.method == "PATCH":
            change = request.json
            model["description"] = change.get("description", model["description"])
            model["tags"].update(change.get("addTags", {}))
            for tag in change.get("removeTags", []):
                model["tags"].pop(tag, None)
            model["properties"].update(change.get("addProperties", {}))
            model["inferenceConfig"] = change.get("inferenceConfig", model["inferenceConfig"])
        return 200, model

    def register_model(self, request):
        name = request.query["name"][0]
        version = 1 + sum(model["name"] == name for model in self.models)
        model = {"id": f"{name}:{version}", "name": name, "version": version,
                 "description": request.query.get("description", [""])[0],
                 "tags": dict(tag.split("=", 1) for tag in request.query.get("tag", [])),
                 "properties": {}, "sizeInBytes": len(request.body), "sha256": "0" * 64,
                 "createdTime": "2026-11-20T19:10:00.123Z", "inferenceConfig": None}
        self.models.insert(0, model)
        self.contents[model["id"]] = request.body
        return 201, model

    def list_models(self, request):
        wanted = [tag.partition("=") for tag in request.query.get("tag", [])]
        found = [m for m in self.models if all(
            key in m["tags"] and (not equals or m["tags"][key] == value)
            for key, equals, value in wanted)]
        return self.page(request, self.named(request, found))

    # --- datasets ---

    def on_datasets(self, request, rest):
        if not rest and request.method == "POST":
            name = request.query["name"][0]
            version = 1 + sum(dataset["name"] == name for dataset in self.datasets)
            rows = request.json["rows"]
            if not rows:
                raise Refusal(400, "the dataset has no rows",
                              [{"pointer": "/rows", "detail": "must not be empty"}])
            dataset = {"id": f"{name}:{version}", "name": name, "version": version,
                       "description": request.query.get("description", [""])[0],
                       "rowCount": len(rows), "distinctRowCount": len(rows), "sizeInBytes": 1,
                       "createdTime": "2026-11-20T19:11:00Z", "warnings": self.dataset_warnings}
            self.datasets.insert(0, dataset)
            self.rows[dataset["id"]] = rows
            return 201, dataset
        if not rest:
            return self.page(request, self.named(request, self.datasets))
        id, _, part = rest.partition("/")
        dataset = self.find(self.datasets, id, "dataset")
        if request.method == "DELETE":
            self.datasets.remove(dataset)
            return 204, b""
        return self.page(request, self.rows[dataset["id"]]) if part == "rows" else (200, dataset)

    # --- profiles ---

    def on_profiles(self, request, rest):
        if not rest:
            asked = request.json
            if any(p["name"] == asked["name"] for p in self.profiles.values()):
                raise Refusal(409, f"there is a profile named {asked['name']} already")
            id = f"id-{len(self.profiles)}"
            self.profiles[id] = profile_resource(id, asked, request.query["workspace"][0])
            return 202, self.profiles[id]
        key, _, part = rest.partition("/")
        profile = next((p for p in reversed(self.profiles.values()) if key in (p["id"], p["name"])),
                       None)
        if profile is None:
            raise Refusal(404, f"there is no profile {key}")
        if part == "samples":
            return 200, {"series": self.samples, "seriesInfo": self.series_info}
        if part == "artifacts":
            return self.page(request, [{"id": "ab", "kind": "log", "name": "containers.log"}])
        if part == "artifacts/ab":
            return 200, b"--- container 1\n"
        if part == "logs":
            return 200, b"model log\n"
        if part == "rerun":
            id = f"id-{len(self.profiles)}"
            self.profiles[id] = {**profile, **request.json, "id": id, "state": "Queued"}
            return 202, self.profiles[id]
        if part == "cancel":
            profile["state"] = "Canceled"
            return 202, profile
        if request.method == "DELETE":
            del self.profiles[profile["id"]]
            return 204, b""
        if not part:
            step = self.profile_steps.pop(0) if len(self.profile_steps) > 1 else (
                self.profile_steps[0])
            profile.update(step)
        return 200, profile

    # --- lists ---

    @staticmethod
    def named(request, entries):
        name = request.query.get("name", [None])[0]
        return [entry for entry in entries if name in (None, entry["name"])]

    @staticmethod
    def find(entries, id, what):
        found = next((e for e in entries if id in (e["id"], e["name"])), None)
        if found is None:
            raise Refusal(404, f"there is no {what} {id}")
        return found

    @staticmethod
    def page(request, entries):
        top = min(int(request.query["top"][0]), PAGE)
        begin = int(request.query.get("cursor", ["0"])[0])
        more = begin + top < len(entries)
        return 200, {"value": entries[begin:begin + top],
                     "nextCursor": str(begin + top) if more else None}


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def serve(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        request = Request(self.command, self.path, self.headers, body)
        with self.fake.lock:
            self.fake.requests.append(request)
            if self.fake.drops:
                self.fake.drops -= 1
                self.close_connection = True
                return
            try:
                status, value = self.fake.respond(request)
                kind = "application/json"
            except Refusal as refusal:
                status, value, kind = refusal.status, refusal.problem, "application/problem+json"
            content = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        with contextlib.suppress(OSError):
            self.wfile.write(content)

    do_GET = do_POST = do_PATCH = do_DELETE = serve

    def log_message(self, *arguments):
        pass


def profile_resource(id, asked, workspace):
    return {"id": id, "name": asked["name"], "workspace": workspace, "state": "Queued",
            "progress": {"phase": "queued", "fraction": 0, "message": "waiting",
                         "secondsLeft": None},
            "createdTime": "2026-11-20T19:12:00.000Z", "startedTime": None, "finishedTime": None,
            "description": asked.get("description", ""), "modelIds": asked["modelIds"],
            "inputDatasetId": asked["inputDatasetId"],
            "inferenceConfig": asked.get("inferenceConfig"),
            "containerResourceRequirements": asked.get("containerResourceRequirements", {}),
            "objective": {"concurrency": 1, "requestsPerSecond": None}, "recommendation": None,
            "measurements": None, "findings": {"cpu": None}, "warnings": [], "error": None,
            "host": None}


RECOMMENDATION = {
    "requestedCpu": 0.4, "requestedMemoryInGb": 0.5, "requestedMemoryInBytes": 536870912,
    "verified": True, "tight": True, "confidence": "high",
    "cpu": {"low": 0.3, "high": 0.5, "reason": "12 ms a request", "confidence": "high"},
    "memory": {"low": 0.44, "high": 0.6, "reason": "the peak was 430 MiB", "confidence": "high"},
    "environmentVariables": {"OMP_NUM_THREADS": "1"}, "maxConcurrency": 1,
    "maxRequestsPerSecond": 38, "tags": {"requestedCpu": "0.4", "requestedMemoryInGb": "0.5"}}
MEASUREMENTS = {
    "measuredAt": {"cpu": 0.4, "memoryInBytes": 536870912}, "maxUtilizedCpu": 0.31,
    "maxUtilizedMemoryInGb": 0.4375, "maxUtilizedMemoryInBytes": 469762048, "totalQueries": 360,
    "successQueries": 351, "successRate": 0.975, "averageLatencyInMs": 24.1,
    "latencyPercentile50InMs": 22.7, "latencyPercentile90InMs": 31.0,
    "latencyPercentile95InMs": 35.4, "latencyPercentile99InMs": 47.9,
    "latencyPercentile999InMs": None, "measuredQueriesPerSecond": 38.2, "rowsReplayed": 120}
SUCCEEDED = {
    "state": "Succeeded", "startedTime": "2026-11-20T19:12:00.100Z",
    "progress": {"phase": "done", "fraction": 1, "message": "finished", "secondsLeft": None},
    "recommendation": RECOMMENDATION, "measurements": MEASUREMENTS}
