"""A Unix socket in front of the real Docker engine that can be told to hang for chosen calls."""

import contextlib
import io
import pathlib
import re
import shutil
import socket
import subprocess
import tarfile
import tempfile
import threading
import time

ENGINE = "/var/run/docker.sock"
IMAGE = "mlprof-test/hanging:1"
PIECE = 65536


class HangingEngine:
    """Passes everything on until hang(); what is held is passed on by heal(), as by an engine that
    comes to itself. Its threads end with their connections."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="mlprof-engine-")
        self.path = str(pathlib.Path(self.folder.name) / "d.sock")
        self.changed = threading.Condition()
        self.pattern = None
        self.held = []  # "METHOD /path" of what hangs
        self.closed = False
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen(64)
        threading.Thread(target=self.accept, daemon=True).start()

    def options(self):
        return ("--docker-host", f"unix://{self.path}")

    def hang(self, pattern=""):
        """From now on, calls whose "METHOD /path" holds the pattern are taken and not answered."""
        with self.changed:
            self.held.clear()
            self.pattern = re.compile(pattern)

    def heal(self):
        with self.changed:
            self.pattern = None
            self.changed.notify_all()

    def close(self):
        self.closed = True
        self.heal()
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.folder.cleanup()

    def await_held(self, seconds=30):
        """Until a call hangs."""
        deadline = time.monotonic() + seconds
        while not self.held:
            if time.monotonic() > deadline:
                raise AssertionError(f"nothing hangs: {self.pattern}")
            time.sleep(0.02)
        return self.held[0]

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        with contextlib.suppress(OSError), client:
            head = client.recv(PIECE)
            call = head.split(b"\r\n")[0].decode(errors="replace").removesuffix(" HTTP/1.1")
            with self.changed:
                if self.pattern and self.pattern.search(call):
                    self.held.append(call)
                    self.changed.wait_for(lambda: self.pattern is None)
            if self.closed:
                return
            with socket.socket(socket.AF_UNIX) as engine:
                engine.connect(ENGINE)
                engine.sendall(head)
                up = threading.Thread(target=pass_on, args=(client, engine), daemon=True)
                up.start()
                pass_on(engine, client)
                client.shutdown(socket.SHUT_RDWR)
                up.join()


def pass_on(source, sink):
    with contextlib.suppress(OSError):
        while piece := source.recv(PIECE):
            sink.sendall(piece)


def make_image():
    """A busybox; whoever calls it removes it."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", dereference=True) as tar:
        tar.add(shutil.which("busybox"), "bin/busybox")
        for name in ("sh", "sleep", "true"):
            link = tarfile.TarInfo(f"bin/{name}")
            link.type, link.linkname = tarfile.SYMTYPE, "busybox"
            tar.addfile(link)
        for name in ("tmp", "etc", "root"):
            folder = tarfile.TarInfo(name)
            folder.type, folder.mode = tarfile.DIRTYPE, 0o1777
            tar.addfile(folder)
    subprocess.run(["docker", "import", "-", IMAGE], input=out.getvalue(),
                   stdout=subprocess.DEVNULL, check=True)


def remove_image():
    subprocess.run(["docker", "rmi", "-f", IMAGE], stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, check=False)


def never_ready():
    """An inference config of a model that starts and does nothing."""
    return {"image": IMAGE, "command": ["/bin/sleep", "1000"], "port": 8080, "scoringPath": "/",
            "contentType": "text/plain", "startTimeoutSeconds": 300}


def running(instance):
    """The ids of the containers of one data directory's server that run."""
    listed = subprocess.run(
        ["docker", "ps", "-q", "--filter", f"label=mlprof.instance={instance}"],
        stdout=subprocess.PIPE, check=True)
    return listed.stdout.decode().split()
