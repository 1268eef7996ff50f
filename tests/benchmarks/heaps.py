#!/usr/bin/env python3
"""Servers whose runtime sizes its heap by the memory limit: what is told of them, and what is true.

Makes the image of a real runtime (heaps/KIND), profiles it, and then serves in plain containers at
limits around the answer, with its CPU: answers, errors and the CPU of a request at each. Needs
Docker, root, pip and the base image (`mlprof-base:1`, which the quickstart makes); dotnet also the
Debian package mono-mcs.
"""

import argparse
import http.client
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import time

from planted import PROFILE_LIMIT_S, Server, model_tar, say, warned

HERE = pathlib.Path(__file__).resolve().parent
KEPT = HERE.parents[1] / "build/heaps"
MIB = 1 << 20
STEP_MIB = 16
PORT = 8080
ROWS = 40
READY_LIMIT_S = 60
WARM_UP_S = 1
LOOK_S = 3


class Plain:
    """The image in a container with limits, without mlprof; the with statement removes it."""

    def __init__(self, image, cpu, mib, environment):
        variables = [word for one in environment for word in ("-e", one)]
        self.id = docker("run", "-d", "--cpus", f"{cpu:g}", "--memory", f"{mib}m", "--memory-swap",
                         f"{mib}m", *variables, image)

    def __enter__(self):
        try:
            self.pid = self.inspect("{{.State.Pid}}")
            self.address = self.inspect("{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}")
            return self
        except BaseException:
            self.remove()
            raise

    def __exit__(self, *_):
        self.remove()

    def remove(self):
        docker("rm", "-f", self.id)

    def inspect(self, template):
        return docker("inspect", "-f", template, self.id)

    def cpu_seconds(self):
        fields = pathlib.Path(f"/proc/{self.pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def connect(self):
        """Once it listens."""
        deadline = time.monotonic() + READY_LIMIT_S
        while True:
            connection = http.client.HTTPConnection(self.address, PORT, timeout=READY_LIMIT_S)
            try:
                connection.connect()
                return connection
            except ConnectionRefusedError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.02)

    def serve(self, seconds):
        """(requests, errors, CPU seconds), one at a time."""
        connection = self.connect()
        requests = errors = 0
        before = self.cpu_seconds()
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            connection.request("POST", "/", b"{}")
            answer = connection.getresponse()
            answer.read()
            requests += 1
            errors += answer.status != 200
        connection.close()
        return requests, errors, self.cpu_seconds() - before


def docker(*arguments):
    return subprocess.run(["docker", *arguments], check=True, stdout=subprocess.PIPE).stdout.decode().strip()


def look(image, cpu, mib, environment):
    """(CPU ms a request, errors), or None where it died, or served no more."""
    with Plain(image, cpu, mib, environment) as container:
        try:
            container.serve(WARM_UP_S)
            requests, errors, used = container.serve(LOOK_S)
            return 1000 * used / requests, errors
        except (OSError, http.client.HTTPException):
            return None


def profiled(image, budget, environment):
    server = Server().start()
    try:
        model = server.register_model("heap", model_tar())
        rows = server.register_rows("rows", [json.dumps({"row": i}) for i in range(ROWS)])
        config = {"image": image, "port": PORT, "scoringPath": "/",
                  "environmentVariables": dict(one.split("=", 1) for one in environment)}
        server.profile("heap", model, rows, config, budgetSeconds=budget)
        began = time.monotonic()
        profile = server.wait_finished("heap", PROFILE_LIMIT_S)
        return {**profile, "wallSeconds": time.monotonic() - began}
    finally:
        server.close()


def told(profile):
    answer = profile["recommendation"]
    if not answer:
        return f"{profile['state']}, no answer: {profile.get('noAnswer') or profile.get('error')}"
    heap = [w["message"] for w in profile["warnings"] if w["code"] == "heapByLimit"]
    return (f"{answer['requestedCpu']:g} cores, {answer['requestedMemoryInBytes'] // MIB} MiB, "
            f"verified {answer['verified']}, tight {answer['tight']}, "
            f"noisy host {warned(profile, 'noisyHost')}, in {profile['wallSeconds']:.0f} s; "
            f"{heap[0] if heap else 'not known to size its heap by the limit'}")


def limits_around(mib):
    near = [mib + STEP_MIB * steps for steps in range(-4, 2)]
    return sorted({one for one in [mib // 4, mib // 2, *near, 2 * mib, 4 * mib] if one > 0})


def sweep(image, cpu, mib, times, environment):
    """In rounds, so that a slower minute of the host falls on every limit."""
    limits = limits_around(mib)
    looks = {limit: [] for limit in limits}
    for turn in range(times):
        say(f"serving at {len(limits)} limits, round {turn + 1} of {times}")
        for limit in limits:
            looks[limit].append(look(image, cpu, limit, environment))
    for limit in limits:
        print(f"{limit:6d} MiB  {shown(looks[limit])}", flush=True)


def shown(looks):
    costs = [one[0] for one in looks if one]
    dead = f"died in {len(looks) - len(costs)} of {len(looks)}" if len(costs) < len(looks) else ""
    if not costs:
        return dead
    errors = sum(one[1] for one in looks if one)
    return (f"{statistics.median(costs):7.2f} ms of CPU a request ({min(costs):.2f} to {max(costs):.2f}), "
            f"{errors} errors  {dead}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=sorted(p.name for p in (HERE / "heaps").iterdir()))
    parser.add_argument("--times", type=int, default=3, metavar="N",
                        help="containers at each limit (default 3); 0: only profile")
    parser.add_argument("--budget-seconds", type=int, default=300, metavar="S",
                        help="of the profile (default 300, as mlprof's own)")
    parser.add_argument("--env", action="append", default=[], metavar="NAME=VALUE",
                        help="a variable of the server's, as NODE_OPTIONS=--max-old-space-size=2048")
    options = parser.parse_args()
    # Ended from outside, it still ends its server and removes what it made.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    image = f"mlprof-test/heap-{options.kind}:1"
    say("making the image")
    subprocess.run([HERE / "heaps" / options.kind / "make-image", image, KEPT / options.kind],
                   stdout=subprocess.DEVNULL, check=True)
    try:
        say("profiling")
        profile = profiled(image, options.budget_seconds, options.env)
        print(told(profile), flush=True)
        answer = profile["recommendation"]
        if answer and options.times:
            sweep(image, answer["requestedCpu"], answer["requestedMemoryInBytes"] // MIB,
                  options.times, options.env)
    finally:
        subprocess.run(["docker", "rmi", "-f", image], stdout=subprocess.DEVNULL, check=False)
    return 0 if profile["recommendation"] else 1


if __name__ == "__main__":
    sys.exit(main())
