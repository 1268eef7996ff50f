"""A way to the real Docker engine that can be cut: to the server it is an engine that comes and goes."""

import contextlib
import os
import pathlib
import socket
import threading

ENGINE = os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock").removeprefix("unix://")


class EngineProxy:
    """Listens at `path` between start() and stop(), which also breaks what is connected."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.url = f"unix://{path}"
        self.listener = None
        self.open = set()

    def start(self):
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.path))
        self.listener.listen(64)
        threading.Thread(target=self._accept, args=(self.listener,), daemon=True).start()

    def stop(self):
        if self.listener is None:
            return
        self.path.unlink()
        for end in [self.listener, *list(self.open)]:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.listener = None

    def _accept(self, listener):
        with contextlib.suppress(OSError):
            while True:
                client = listener.accept()[0]
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        with client, socket.socket(socket.AF_UNIX) as engine:
            engine.connect(ENGINE)
            self.open |= {client, engine}
            back = threading.Thread(target=copy, args=(engine, client), daemon=True)
            back.start()
            copy(client, engine)
            back.join()
            self.open -= {client, engine}


def copy(source, sink):
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            sink.sendall(data)
    for end in (source, sink):
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
