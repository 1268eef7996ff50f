#!/usr/bin/env python3
"""How long the tools take for a large trace, beside XProf: each of both in turn, on the same file.

usage: compare.py [--file FILE] [--rounds 3]      without FILE one is made (make_trace.py)
needs build/release/bin, and build/xprof-venv with xprof==2.24.2 (tests/integration makes it)
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/integration"))

from server import Server  # noqa: E402
import make_trace  # noqa: E402

TOOLS = ("overview_page", "op_profile", "hlo_stats")
PEER = ROOT / "build/xprof-venv/bin/python"
ASK = """
import resource, sys, time
from xprof.convert import raw_to_tool_data
began, used = time.time(), resource.getrusage(resource.RUSAGE_SELF)
raw_to_tool_data.xspace_to_tool_data([sys.argv[1]], sys.argv[2], {"use_saved_result": False})
now = resource.getrusage(resource.RUSAGE_SELF)
print(time.time() - began, now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime)
"""


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / 100


def ours(server, capture, tool):
    began, used = time.time(), cpu_seconds(server.process.pid)
    with urllib.request.urlopen(f"{server.url}/captures/{capture}/tools/{tool}") as response:
        response.read()
    return time.time() - began, cpu_seconds(server.process.pid) - used


def theirs(file, tool):
    done = subprocess.run([PEER, "-c", ASK, file, tool], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(done.stderr[-2000:])
    wall, cpu = done.stdout.split()[-2:]
    return float(wall), float(cpu)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--file")
    parser.add_argument("--rounds", type=int, default=3)
    told = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mlprof-bench-") as folder:
        file = told.file or f"{folder}/made.xplane.pb"
        if not told.file:
            print(f"{make_trace.make(file)} operations, ", end="")
        data = pathlib.Path(file).read_bytes()
        print(f"{len(data) / 1e6:.0f} MB")
        server = Server().start()
        try:
            request = urllib.request.Request(f"{server.url}/captures", data=data, headers={
                "Content-Type": "application/octet-stream"})
            began = time.time()
            capture = json.load(urllib.request.urlopen(request))["id"]
            print(f"taken in within {time.time() - began:.2f} s")
            for tool in TOOLS:
                for _ in range(told.rounds):
                    (wall, cpu), (wall2, cpu2) = ours(server, capture, tool), theirs(file, tool)
                    print(f"{tool:16} mlprof {wall:6.2f} s, {cpu:6.2f} s of CPU | "
                          f"xprof {wall2:7.2f} s, {cpu2:7.2f} s of CPU | {wall2 / wall:5.1f}x, "
                          f"{cpu2 / max(cpu, 0.01):5.1f}x of CPU", flush=True)
            window = f"{server.url}/captures/{capture}/tools/trace_viewer?resolution=8000"
            began = time.time()
            size = len(urllib.request.urlopen(window).read())
            print(f"trace_viewer at 8000 columns: {time.time() - began:.2f} s, {size / 1e6:.0f} MB")
            status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
            peak = next(line for line in status.splitlines() if line.startswith("VmHWM"))
            print("the server's memory at its highest:", " ".join(peak.split()[1:]))
        finally:
            server.close()


if __name__ == "__main__":
    main()
