"""A contract_server of its own, and requests to it that are held against the document."""

import http.client
import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.parse

from document import Document


class Response:
    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers
        self.body = body

    @property
    def type(self):
        return self.headers.get("Content-Type", "").split(";")[0]

    @property
    def json(self):
        return json.loads(self.body)


class Server:
    """`choices` are those of contract_server: --tokens, --tls."""

    def __init__(self, *choices):
        self.document = Document()
        self.responses = set()  # (METHOD, documented path, status)
        self.directory = tempfile.TemporaryDirectory()
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [os.environ["MLPROF_CONTRACT_SERVER"], self.directory.name, *choices],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
        )
        self.routes = set()
        self.tokens = {}  # kind → secret
        self.profilers = {}  # kind → address
        self.token = None  # sent by ask()
        self.ca = self.tls_port = None
        for line in self.process.stdout:
            word, _, rest = line.strip().partition(" ")
            if word == "listening":
                self.port = urllib.parse.urlsplit(rest).port
                break
            if word == "token":
                kind, secret = rest.split(" ")
                self.tokens[kind] = secret
            elif word == "profiler":
                kind, address = rest.split(" ")
                self.profilers[kind] = address
            elif word == "ca":
                self.ca = rest
            elif word == "tls":
                self.tls_port = urllib.parse.urlsplit(rest).port
            else:
                method, pattern = rest.split(" ")
                self.routes.add((method, pattern.replace("...}", "}")))

    def stop(self):
        self.process.stdin.close()
        self.process.stdout.close()
        status = self.process.wait(timeout=30)
        if status != 0:
            self.log.seek(0)
            print(self.log.read().decode(errors="replace")[-10000:], file=sys.stderr)
        self.log.close()
        self.directory.cleanup()
        return status

    def raw(self, method, target, body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, target, body=body, headers=headers or {})
            response = connection.getresponse()
            return Response(response.status, response.headers, response.read())
        finally:
            connection.close()

    def documented(self, method, target):
        """The document's path of a target; the one with the fewest parameters."""
        path = urllib.parse.urlsplit(target).path
        fits = [
            pattern
            for known, pattern in self.document.operations()
            if known == method
            and re.fullmatch(re.sub(r"\\{[^/]+\\}", "[^/]+", re.escape(pattern)), path)
        ]
        return min(fits, key=lambda pattern: pattern.count("{"))

    def ask(self, method, target, body=None, headers=None):
        """Sends a request; the response must be as the document says. Returns the response."""
        headers = dict(headers or {})
        if self.token:
            headers.setdefault("Authorization", "Bearer " + self.token)
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
            headers.setdefault("Content-Type", "application/json")
        response = self.raw(method, target, body, headers)
        pattern = self.documented(method, target)
        self.check(response, method, pattern)
        self.responses.add((method, pattern, response.status))
        return response

    def check(self, response, method, pattern):
        operation = self.document.operations()[(method, pattern)]
        where = f"{method} {pattern} -> {response.status}"
        described = self.document.response(operation, response.status)
        assert described, f"{where} is not described: {response.body[:500]}"
        content = described.get("content")
        if content is None:
            assert not response.body, f"{where} has a body"
            return
        assert response.type in content, f"{where} is {response.type}: {response.body[:500]}"
        for name in described.get("headers", {}):
            assert name in response.headers, f"{where} has no {name}"
        if response.type.endswith("json"):
            problems = self.document.problems(response.json, content[response.type]["schema"])
            assert not problems, f"{where}: {problems}\n{response.body[:2000]}"
        if response.type == "application/problem+json":
            assert response.json["status"] == response.status, where
