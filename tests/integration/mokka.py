"""NVIDIA's own imitation of its library ("Mokka"), built as it is published, where that is possible.

It is a Go module; a Go toolchain and a module proxy are needed. The library is kept among the builds.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess

from server import ROOT

MODULE = "github.com/NVIDIA/k8s-test-infra"
VERSION = "v0.3.0"
BUILD_LIMIT_S = 120


class CannotBuild(Exception):
    """Why there is no library."""


def library():
    """The folder that holds libnvidia-ml.so.1, and the folder of its profiles; or CannotBuild."""
    go = shutil.which("go")
    if not go:
        raise CannotBuild("there is no Go toolchain")
    module = download(go)
    folder = ROOT / f"build/mokka-{VERSION}"
    mock = module / "pkg/gpu/mocknvml"
    if not (folder / "libnvidia-ml.so.1").exists():
        build(go, mock, folder)
    return folder, mock / "configs"


def run(command, **more):
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              check=False, text=True, timeout=BUILD_LIMIT_S, **more)
    except subprocess.TimeoutExpired:
        raise CannotBuild(f"{command[1]} took more than {BUILD_LIMIT_S} s") from None


def download(go):
    done = run([go, "mod", "download", "-json", f"{MODULE}@{VERSION}"],
               env={**os.environ, "GOFLAGS": "-mod=mod", "GOTOOLCHAIN": "auto"}, cwd="/")
    try:
        answer = json.loads(done.stdout[done.stdout.index("{"):])
    except ValueError:
        raise CannotBuild(done.stdout.strip()) from None
    if answer.get("Error"):
        raise CannotBuild(answer["Error"].replace("\n", " ").replace("\t", ""))
    return pathlib.Path(answer["Dir"])


def linker_flags(mock):
    """As its own Makefile has them: functions that its headers rename need their old names."""
    aliases = re.findall(r"-Wl,--defsym,\w+=\w+", (mock / "Makefile").read_text())
    return " ".join([*aliases, "-Wl,-soname,libnvidia-ml.so.1"])


def build(go, mock, folder):
    folder.mkdir(parents=True, exist_ok=True)
    unfinished = folder / "unfinished.so"
    done = run([go, "build", "-tags", "nopadding", "-buildmode=c-shared", "-o", unfinished,
                "./bridge"], cwd=mock,
               env={**os.environ, "CGO_ENABLED": "1", "GOTOOLCHAIN": "auto",
                    "CGO_LDFLAGS_ALLOW": "--defsym|-soname", "CGO_LDFLAGS": linker_flags(mock)})
    if done.returncode != 0:
        raise CannotBuild(done.stdout.strip()[-500:])
    unfinished.rename(folder / "libnvidia-ml.so.1")
