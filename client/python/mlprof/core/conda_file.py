"""The part of YAML that conda environment files are written in: block lists, one entry a line.

The server reads the same part, so what cannot be read here cannot be read there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import List

from mlprof.exceptions import UserErrorException


@dataclass
class CondaFile:
    """`conda` entries as written ("python=3.11", "numpy"), `pip` requirement specifiers."""

    conda: List[str] = field(default_factory=list)
    pip: List[str] = field(default_factory=list)
    channels: List[str] = field(default_factory=list)


def parse_conda_file(text: str, name: str) -> CondaFile:
    """`name` is what errors call the file. Raises UserErrorException."""
    file = CondaFile()
    section = ""
    indent_of_items = 0
    in_pip = False
    for number, line in enumerate(text.splitlines(), 1):
        line = _without_comment(line)
        entry = line.strip()
        indent = len(line) - len(line.lstrip())
        if not entry or entry == "---":
            continue
        if "\t" in line[:indent]:
            raise _bad(name, number, "indent with blanks")
        if entry != "-" and not entry.startswith("- "):
            if indent > 0 and section == "dependencies":
                raise _bad(name, number, "expected '- NAME'")
            if indent == 0:
                section, _, rest = (part.strip() for part in entry.partition(":"))
                in_pip = False
                if section == "dependencies" and rest:
                    raise _bad(name, number, "write a list, one '- NAME' a line")
            continue
        value = _unquoted(entry[1:].strip())
        if section == "channels":
            file.channels.append(value)
        if section != "dependencies":
            continue
        if in_pip and indent > indent_of_items:
            file.pip.append(value)
            continue
        indent_of_items = indent
        in_pip = value == "pip:"
        if not in_pip:
            file.conda.append(value)
    return file


def format_conda_file(file: CondaFile) -> str:
    """The file that `parse_conda_file` reads back."""
    lines = ["channels:", *(f"- {channel}" for channel in file.channels)] if file.channels else []
    lines += ["dependencies:", *(f"- {package}" for package in file.conda)]
    if file.pip:
        lines += ["- pip:", *(f"  - {package}" for package in file.pip)]
    return "\n".join(lines) + "\n"


def package_name(entry: str) -> str:
    """The name in a conda entry or pip requirement, as pip compares names."""
    name = re.split(r"[=<>!~ \[;@]", entry, maxsplit=1)[0]
    return re.sub(r"[-_.]+", "-", name).lower()


def _bad(name: str, number: int, why: str) -> UserErrorException:
    return UserErrorException(f"{name}, line {number}: {why}")


def _without_comment(line: str) -> str:
    return re.sub(r"(^|\s)#.*", "", line).rstrip()


def _unquoted(text: str) -> str:
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1]
    return text
