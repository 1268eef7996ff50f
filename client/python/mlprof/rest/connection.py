"""Requests to one server in one workspace."""

from __future__ import annotations

import http.client
import json
import ssl
import time
import uuid
from typing import Any, BinaryIO, Callable, Dict, Iterator, List, Mapping, Optional, Tuple
from urllib.parse import quote, urlencode

from mlprof.exceptions import MlprofException, ServerUnreachableException
from mlprof.rest.problem import error_of
from mlprof.rest.transport import Body, Response, Transport

TRIES = 3
FIRST_PAUSE_SECONDS = 0.5
PAGE = 1000

Query = List[Tuple[str, str]]
JsonObject = Dict[str, Any]


def segment(text: str) -> str:
    """`text` as one segment of a path."""
    return quote(text, safe="")


class Connection:
    """Every call returns decoded JSON or raises an exception of mlprof.exceptions.

    Creating POSTs carry an Idempotency-Key, so a request that got no response is sent again without
    doing its work twice. Any thread may use it.
    """

    def __init__(self, transport: Transport, workspace: str, token: Callable[[], str]) -> None:
        self.transport = transport
        self.workspace = workspace
        self._token = token

    def get(self, path: str, query: Optional[Query] = None) -> JsonObject:
        return _object(self._send("GET", path, query))

    def get_text(self, path: str) -> str:
        return self._send("GET", path).body.decode("utf-8", errors="replace")

    def list_all(self, path: str, query: Optional[Query] = None) -> Iterator[Any]:
        """The entries of all pages, in order."""
        cursor: Optional[str] = None
        while True:
            page = [*(query or []), ("top", str(PAGE))]
            response = self.get(path, page if cursor is None else [*page, ("cursor", cursor)])
            yield from response.get("value") or []
            cursor = response.get("nextCursor")
            if cursor is None:
                return

    def post(self, path: str, body: Any = None, query: Optional[Query] = None) -> JsonObject:
        return self._upload("POST", path, json.dumps(body).encode(), "application/json", query)

    def patch(self, path: str, body: Any) -> JsonObject:
        return self._upload("PATCH", path, json.dumps(body).encode(), "application/json", None)

    def post_file(
        self, path: str, file: BinaryIO, content_type: str, query: Optional[Query] = None
    ) -> JsonObject:
        """Sends a seekable file from its start to its end."""
        return self._upload("POST", path, file, content_type, query)

    def act(self, path: str) -> JsonObject:
        """A POST without a body that changes a state; sent once."""
        return _object(self._send("POST", path, tries=1))

    def delete(self, path: str) -> None:
        self._send("DELETE", path, tries=1)

    def download(self, path: str, sink: BinaryIO) -> None:
        """Writes the response's body into an empty, seekable file."""
        self._send("GET", path, sink=sink)

    def _upload(
        self, method: str, path: str, body: Body, content_type: str, query: Optional[Query]
    ) -> JsonObject:
        headers = {"Content-Type": content_type}
        if method == "POST":
            headers["Idempotency-Key"] = str(uuid.uuid4())
        return _object(self._send(method, path, query, headers, body))

    def _send(
        self,
        method: str,
        path: str,
        query: Optional[Query] = None,
        headers: Optional[Mapping[str, str]] = None,
        body: Body = None,
        sink: Optional[BinaryIO] = None,
        tries: int = TRIES,
    ) -> Response:
        target = path + "?" + urlencode([("workspace", self.workspace), *(query or [])])
        sent = {"Accept": "application/json", **(headers or {})}
        token = self._token()
        if token:
            sent["Authorization"] = "Bearer " + token
        for left in range(tries - 1, -1, -1):
            try:
                whole = _with_length(sent, body)
                response = self.transport.exchange(method, target, whole, body, sink)
                break
            except (OSError, http.client.HTTPException) as error:
                if left == 0 or isinstance(error, ssl.SSLCertVerificationError):
                    raise _out_of_reach(self.transport.url, error) from error
            time.sleep(FIRST_PAUSE_SECONDS * (tries - left))
            if sink is not None:
                sink.seek(0)
                sink.truncate()
        if not 200 <= response.status < 300:
            raise error_of(response.status, response.body)
        return response


def _with_length(headers: Mapping[str, str], body: Body) -> Dict[str, str]:
    """A file is sent from its start, under its length instead of in chunks."""
    if body is None or isinstance(body, bytes):
        return dict(headers)
    length = body.seek(0, 2)
    body.seek(0)
    return {**headers, "Content-Length": str(length)}


def _object(response: Response) -> JsonObject:
    try:
        value = json.loads(response.body)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise MlprofException("the server's response is no JSON object; is it an mlprof server?")
    return value


def _out_of_reach(url: str, error: Exception) -> ServerUnreachableException:
    if isinstance(error, ssl.SSLCertVerificationError):
        return ServerUnreachableException(
            f"the certificate of {url} is not trusted ({error.verify_message}); set MLPROF_CA to "
            "the CA file of the server (ca.pem in the folder tls of its data directory)"
        )
    return ServerUnreachableException(f"no mlprof server answers at {url}: {error}")
