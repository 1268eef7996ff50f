"""What was measured, kept with the project: a file a target in measured/. An oracle is found by the
hash of target and host, so that none is sought twice on the same kind of machine."""

import dataclasses
import hashlib
import json
import os
import pathlib
import platform

import json_file
import oracle
import rules
import sources

FOLDER = pathlib.Path(__file__).resolve().parent / "measured"
# Of a profile; its traces and trials are thousands of lines, and told by the figures.
OF_PROFILE = ("state", "wallSeconds", "warnings", "error", "noAnswer", "build")
OF_ANSWER = ("requestedCpu", "requestedMemoryInBytes", "verified", "tight", "confidence", "workers",
             "rareEvents")


def host():
    """The kind of machine: what an oracle found on one is worth on another of the same kind."""
    # Not every architecture names its model there.
    cpu = _field("/proc/cpuinfo", "model name") or platform.processor() or platform.machine()
    version = 2 if pathlib.Path("/sys/fs/cgroup/cgroup.controllers").exists() else 1
    kib = int(_field("/proc/meminfo", "MemTotal").split()[0])
    return {"cpu": cpu, "cores": os.cpu_count(), "memoryInGib": round(kib / (1 << 20)),
            "cgroup": version}


def _field(path, name):
    """The value behind the first such name; "" where there is none."""
    for line in pathlib.Path(path).read_text(encoding="ascii", errors="replace").splitlines():
        if line.startswith(name):
            return line.partition(":")[2].strip()
    return ""


def key(target, machine):
    """What the target is told, its rows and sources, by whatever rule a limit holds, on such a
    machine."""
    fields = dataclasses.asdict(target)
    fields.pop("about")
    made_of = sources.digest(sources.of_target(target))
    text = json.dumps([fields, made_of, oracle.RULE, machine], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def without_old_rules(values):
    """Less what other recommenders were said to answer by rules that have changed since, and less a
    profile without the trials that their answers would be found from anew."""
    if values.get("rulesVersion") == rules.RULE:
        return values
    gone = {"rules", "checks"}
    if "trials" not in values.get("profile", {}):
        gone.add("profile")
    return {name: value for name, value in values.items() if name not in gone}


def entries(name, folder=FOLDER):
    return json_file.read(pathlib.Path(folder) / f"{name}.json", [])


def find(target, folder=FOLDER, machine=None):
    """The entry of this target on such a machine, or {}."""
    wanted = key(target, machine or host())
    found = (one for one in entries(target.name, folder) if one["hash"] == wanted)
    return without_old_rules(next(found, {}))


def of_build(target, commit, folder=FOLDER):
    """The entry of this target whose answer is by that build, on whichever kind of machine: this one,
    where there are several. Else {}."""
    here = host()
    found = [one for one in entries(target.name, folder)
             if one["hash"] == key(target, one["host"]) and
             ((one.get("profile") or {}).get("build") or {}).get("commit") == commit]
    found.sort(key=lambda one: one["host"] != here)
    return without_old_rules(found[0]) if found else {}


def worth_keeping(target, true):
    """A failure of a target with an answer may be the host's, and limits that were not seen to hold
    together are none: both are sought anew."""
    return not target.answerable if "error" in true else true.get("confirmed", False)


def keep(target, values, folder=FOLDER, machine=None):
    """Takes over what is known of it. Of an entry for such a machine all is left that was judged by
    the same oracle, whether it was asked to last or not, and is not known anew."""
    if not worth_keeping(target, values["oracle"]):
        return
    machine = machine or host()
    new = _entry(target, values, machine)
    others, same = [], {}
    for one in entries(target.name, folder):
        if one["hash"] != new["hash"]:
            others.append(one)
        elif _looked_at(one["oracle"]) == _looked_at(new["oracle"]):
            same = one
    json_file.write(pathlib.Path(folder) / f"{target.name}.json", [*others, same | new],
                    indent=1, sort_keys=True)


def _looked_at(true):
    """An oracle less what asking it to last changes: no check depends on that."""
    return {name: value for name, value in true.items()
            if name not in ("memoryInBytes", "memoryIntervalInBytes", "confirmed", "lasted")}


def _entry(target, values, machine):
    # As it is read from the file: numbers that are keys have become text.
    true = json.loads(json.dumps(values["oracle"]))
    entry = {"hash": key(target, machine), "host": machine, "oracle": true}
    if "checks" not in values:
        return entry
    profile = values["profile"]
    answer = profile["recommendation"]
    return entry | {
        "rulesVersion": rules.RULE, "rules": values["rules"], "checks": values["checks"],
        "profile": {name: profile.get(name) for name in OF_PROFILE} | {
            "recommendation": answer and {name: answer.get(name) for name in OF_ANSWER}}}
