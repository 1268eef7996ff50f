"""A small HTTP proxy on loopback that wants a login, with an index of packages behind it."""

import base64
import hashlib
import http.server
import io
import select
import socket
import threading
import urllib.parse
import zipfile

# What every entry script's environment asks for, so that no other index is needed.
SERVER = "azureml-inference-server-http"


def wheel(name, version):
    """The bytes of a package without anything in it."""
    plain = name.replace("-", "_")
    info = f"{plain}-{version}.dist-info"
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(f"{plain}.py", "")
        archive.writestr(f"{info}/METADATA",
                         f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        archive.writestr(f"{info}/WHEEL",
                         "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\n"
                         "Tag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return out.getvalue()


def connect(host, port):
    host = "127.0.0.1" if host == "rebind.test" else host.strip("[]").rstrip(".")
    return socket.create_connection((host, port), 5)


def carry(near, far):
    """Bytes both ways, until one end is silent for two seconds."""
    while True:
        ready, _, _ = select.select([near, far], [], [], 2)
        if not ready:
            return
        for end in ready:
            data = end.recv(65536)
            if not data:
                return
            (far if end is near else near).sendall(data)


class PackageProxy:
    """Answers for http://wheels.test itself and trusts its users: it connects them to whatever they
    ask for, and knows names by which nobody else calls this machine."""

    def __init__(self, user, password):
        self._login = "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()
        self._lock = threading.Lock()
        self._asked, self._refused = [], []
        self._files = {}
        for name in (SERVER, "mlprof-relayed"):
            file = f"{name.replace('-', '_')}-1.0-py3-none-any.whl"
            self._files[f"/simple/{name}/"] = (
                f'<a href="/files/{file}#sha256={hashlib.sha256(wheel(name, "1.0")).hexdigest()}">'
                f"{file}</a>".encode())
            self._files[f"/files/{file}"] = wheel(name, "1.0")
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def asked(self):
        """The request lines that came, without versions."""
        with self._lock:
            return list(self._asked)

    def refused(self):
        """Those that came without the login."""
        with self._lock:
            return list(self._refused)

    def close(self):
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _handler(proxy):  # pylint: disable=no-self-argument
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_CONNECT(self):
                if not self.allowed():
                    return
                host, port = self.path.rsplit(":", 1)
                try:
                    far = connect(host, int(port))
                except OSError as error:
                    return self.answer(502, str(error).encode())
                self.send_response(200)
                self.end_headers()
                self.close_connection = True
                with far:
                    carry(self.connection, far)

            def do_GET(self):
                if not self.allowed():
                    return
                url = urllib.parse.urlsplit(self.path)
                if url.hostname == "wheels.test":
                    content = proxy._files.get(url.path)
                    return self.answer(200 if content else 404, content or b"no such package",
                                       "text/html" if url.path.endswith("/")
                                       else "application/octet-stream")
                self.close_connection = True
                try:
                    far = connect(url.hostname, url.port or 80)
                except OSError as error:
                    return self.answer(502, str(error).encode())
                with far:
                    far.sendall(f"GET {url.path} HTTP/1.0\r\nHost: {url.netloc}\r\n\r\n".encode())
                    carry(self.connection, far)

            def allowed(self):
                line = f"{self.command} {self.path}"
                given = self.headers.get("Proxy-Authorization")
                with proxy._lock:
                    proxy._asked.append(line)
                    if given != proxy._login:
                        proxy._refused.append(line)
                if given != proxy._login:
                    self.answer(407, f"not {given}".encode())
                return given == proxy._login

            def answer(self, status, body, kind="text/plain"):
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass
        return Handler
