"""What was measured, kept with the project: a file a target in measured/. An oracle is found by the
hash of target and host, so that none is sought twice on the same kind of machine."""

import dataclasses
import hashlib
import json
import os
import pathlib
import subprocess

import oracle

FOLDER = pathlib.Path(__file__).resolve().parent / "measured"
# Of a profile; its traces and trials are thousands of lines, and told by the figures.
OF_PROFILE = ("state", "wallSeconds", "warnings", "error", "noAnswer")
OF_ANSWER = ("requestedCpu", "requestedMemoryInBytes", "verified", "tight", "confidence", "workers",
             "rareEvents")


def host():
    """The kind of machine: what an oracle found on one is worth on another of the same kind."""
    cpu = ""
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="ascii").splitlines():
        if line.startswith("model name"):
            cpu = line.partition(":")[2].strip()
            break
    version = 2 if pathlib.Path("/sys/fs/cgroup/cgroup.controllers").exists() else 1
    return {"cpu": cpu, "cores": os.cpu_count(), "cgroup": version}


def key(target, machine):
    """What the target is told and its rows, by whatever rule a limit holds, on such a machine."""
    fields = dataclasses.asdict(target)
    fields.pop("about")
    text = json.dumps([fields, oracle.RULE, machine], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def entries(name, folder=FOLDER):
    path = pathlib.Path(folder) / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else []


def find(target, folder=FOLDER, machine=None):
    """The entry of this target on such a machine, or {}."""
    wanted = key(target, machine or host())
    return next((one for one in entries(target.name, folder) if one["hash"] == wanted), {})


def keep(target, values, folder=FOLDER, machine=None, build=None):
    """Takes over what is known of it, in place of what was known on such a machine."""
    machine = machine or host()
    entry = {"hash": key(target, machine), "host": machine, "oracle": values["oracle"]}
    if "checks" in values:
        profile = values["profile"]
        answer = profile["recommendation"]
        entry |= {"build": build or commit(), "rules": values["rules"], "checks": values["checks"],
                  "profile": {name: profile.get(name) for name in OF_PROFILE} | {
                      "recommendation": answer and {name: answer.get(name) for name in OF_ANSWER}}}
    kept = [one for one in entries(target.name, folder) if one["hash"] != entry["hash"]] + [entry]
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    text = json.dumps(kept, indent=1, sort_keys=True) + "\n"
    (pathlib.Path(folder) / f"{target.name}.json").write_text(text, encoding="utf-8")


def commit():
    """Of the programs that were measured, as far as they were built from what is committed."""
    done = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=FOLDER.parent,
                          stdout=subprocess.PIPE, check=False)
    return done.stdout.decode().strip()
