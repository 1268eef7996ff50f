"""One HTTP exchange, over TLS where the address says so."""

from __future__ import annotations

import http.client
import shutil
import ssl
from dataclasses import dataclass
from typing import BinaryIO, Mapping, Optional, Union
from urllib.parse import urlsplit

from mlprof.exceptions import MlprofException, UserErrorException

TIMEOUT_SECONDS = 60.0
# A large upload is hashed and unpacked before it is answered.
UPLOAD_TIMEOUT_SECONDS = 900.0
LARGEST_RESPONSE_BYTES = 1 << 28

Body = Union[bytes, BinaryIO, None]


@dataclass(frozen=True)
class Response:
    status: int
    body: bytes


class Transport:
    """Opens a connection for every exchange; any thread may use it.

    `exchange` raises OSError or http.client.HTTPException where no whole response came.
    """

    def __init__(self, url: str, ca_file: Optional[str] = None) -> None:
        parts = urlsplit(url)
        self.url = url
        self._host = parts.hostname or ""
        self._port = parts.port
        self._prefix = parts.path.rstrip("/")
        self._tls = _tls(ca_file) if parts.scheme == "https" else None

    def exchange(
        self,
        method: str,
        target: str,
        headers: Mapping[str, str],
        body: Body = None,
        sink: Optional[BinaryIO] = None,
    ) -> Response:
        """The response; a 2xx's body goes into `sink` where one is given."""
        connection = self._connect(TIMEOUT_SECONDS if body is None else UPLOAD_TIMEOUT_SECONDS)
        try:
            try:
                connection.request(method, self._prefix + target, body=body, headers=dict(headers))
            except (BrokenPipeError, ConnectionResetError):
                pass  # a refused upload is answered before it has been read; the response says why
            response = connection.getresponse()
            if sink is not None and 200 <= response.status < 300:
                shutil.copyfileobj(response, sink)
                return Response(response.status, b"")
            content = response.read(LARGEST_RESPONSE_BYTES + 1)
            if len(content) > LARGEST_RESPONSE_BYTES:
                raise MlprofException("the server's response is too large")
            return Response(response.status, content)
        finally:
            connection.close()

    def _connect(self, timeout: float) -> http.client.HTTPConnection:
        if self._tls is None:
            return http.client.HTTPConnection(self._host, self._port, timeout=timeout)
        return http.client.HTTPSConnection(
            self._host, self._port, timeout=timeout, context=self._tls
        )


def _tls(ca_file: Optional[str]) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=ca_file)
    except OSError as error:
        raise UserErrorException(
            f'the CA file {ca_file} (MLPROF_CA, or "ca" in the config file) cannot be used: {error}'
        ) from None
