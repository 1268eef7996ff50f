"""What the tests of the routes share: a server, what they put in, and which responses they saw."""

import io
import json
import tarfile
import unittest

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
            content = text if isinstance(text, bytes) else text.encode()
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


class RoutesCase(unittest.TestCase):
    """A server for each class of tests."""

    responses = set()  # by all of them: (METHOD, documented path, status)

    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        cls.server.responses = RoutesCase.responses

    @classmethod
    def tearDownClass(cls):
        assert cls.server.stop() == 0

    def ask(self, status, method, target, body=None, headers=None):
        response = self.server.ask(method, target, body, headers)
        self.assertEqual(response.status, status, response.body[:2000])
        return response

    def pointers(self, response):
        return sorted(error["pointer"] for error in response.json.get("errors", []))

    def register(self, name):
        self.ask(201, "POST", f"/models?name={name}", tar(weights="1"), TAR)
        self.ask(201, "POST", f"/datasets?name={name}", "one\ntwo\nthree\n", TEXT)

    def create(self, name, **more):
        body = {"name": name, "modelIds": [name], "inputDatasetId": name, "inferenceConfig": IMAGE,
                "budgetSeconds": 10, **more}
        return self.ask(202, "POST", "/profiles", body)

    def await_ends(self):
        """Until no profile is queued or runs, and so none keeps a file."""
        for profile in self.ask(200, "GET", "/profiles").json["value"]:
            self.events(profile["id"])

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
