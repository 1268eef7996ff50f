"""A profile's progress as plain text: one line that is rewritten, or a line for each phase."""

from __future__ import annotations

import sys
from typing import TextIO

from mlprof.core.profile_details import FINISHED
from mlprof.rest.connection import JsonObject

LONGEST_LINE = 100


class ProgressPrinter:
    """Writes to a terminal or notebook in place, to anything else a line when the phase changes."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._in_place = out.isatty() or "ipykernel" in sys.modules
        self._shown = ""
        self._phase = ""

    def show(self, profile: JsonObject) -> None:
        progress = profile.get("progress") or {}
        state = profile["state"]
        phase = state if state in FINISHED else f"{state}/{progress.get('phase')}"
        if self._in_place:
            self._write_over(_line(state, progress))
        elif phase != self._phase:
            print(_line(state, progress), file=self._out, flush=True)
        self._phase = phase
        if self._in_place and state in FINISHED:
            print(file=self._out, flush=True)

    def _write_over(self, line: str) -> None:
        if line == self._shown:
            return
        print("\r" + line.ljust(len(self._shown)), end="", file=self._out, flush=True)
        self._shown = line


def _line(state: str, progress: JsonObject) -> str:
    if state in FINISHED:
        return str(state)
    line = f"{state} {100 * float(progress.get('fraction') or 0):3.0f}%"
    left = progress.get("secondsLeft")
    for part in (
        progress.get("phase"),
        progress.get("message"),
        None if left is None else f"{left:.0f} s left",
    ):
        if part:
            line += f", {part}"
    printable = "".join(c if c.isprintable() else " " for c in line)
    return printable[:LONGEST_LINE]
