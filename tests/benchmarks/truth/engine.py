"""The Docker engine's API over its socket: plain containers, without mlprof."""

import http.client
import json
import os
import socket
import urllib.parse

CALL_LIMIT_S = 60
LABEL = "mlprof.truth"


class EngineError(Exception):
    pass


class _Connection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=CALL_LIMIT_S)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


def call(method, path, body=None):
    """The decoded answer; raises EngineError with what the engine said."""
    host = os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock")
    connection = _Connection(host.removeprefix("unix://"))
    try:
        connection.request(method, path, None if body is None else json.dumps(body),
                           {"Content-Type": "application/json"})
        answer = connection.getresponse()
        content = answer.read()
    finally:
        connection.close()
    decoded = json.loads(content) if content[:1] in (b"{", b"[") else content.decode()
    if answer.status >= 400:
        raise EngineError(f"{method} {path}: {answer.status} {decoded}")
    return decoded


class Container:
    """A running container; the with statement removes it.

    cpu in cores and memory in bytes, None for no limit. Swap is off where there is a limit. weight:
    cores that it is sure of beside others, as a request of Kubernetes is.
    """

    def __init__(self, image, command, environment, mounts, cpu=None, memory=None,
                 working_directory="/", weight=None):
        host = {"NetworkMode": "none", "Init": False, "AutoRemove": False,
                "ExtraHosts": ["mlprof:127.0.0.1"],
                "Mounts": [{"Type": "bind", "Source": str(source), "Target": target,
                            "ReadOnly": read_only} for source, target, read_only in mounts]}
        if cpu is not None:
            host.update(CpuPeriod=100_000, CpuQuota=round(cpu * 100_000))
        if weight is not None:
            host.update(CpuShares=max(2, round(weight * 1024)))
        if memory is not None:
            host.update(Memory=memory, MemorySwap=memory)
        self.id = call("POST", "/containers/create", {
            "Image": image, "Entrypoint": command, "Cmd": [], "WorkingDir": working_directory,
            "Env": [f"{name}={value}" for name, value in environment.items()],
            "Hostname": "mlprof", "Labels": {LABEL: "1"}, "HostConfig": host})["Id"]
        try:
            call("POST", f"/containers/{self.id}/start")
            self.pid = self.state()["Pid"]
        except BaseException:
            self.remove()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.remove()

    def state(self):
        return call("GET", f"/containers/{self.id}/json")["State"]

    def set_cpu(self, cpu):
        """In place; None takes the limit away."""
        quota = -1 if cpu is None else round(cpu * 100_000)
        call("POST", f"/containers/{self.id}/update", {"CpuPeriod": 100_000, "CpuQuota": quota})

    def remove(self):
        call("DELETE", f"/containers/{self.id}?force=1&v=1")


def leftovers():
    """Containers of a benchmark that was interrupted."""
    filters = urllib.parse.quote(json.dumps({"label": [LABEL]}))
    return [entry["Id"] for entry in call("GET", f"/containers/json?all=1&filters={filters}")]


def remove(container_id):
    call("DELETE", f"/containers/{container_id}?force=1&v=1")
