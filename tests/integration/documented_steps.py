"""The commands of a page's code block, to be run where a test may run them."""

import re
import socket

from server import ROOT


def blocks(page, holds):
    """The commands of the page's code blocks that hold this text, a line each, comments left out."""
    found = []
    for block in re.findall(r"^```\n(.*?)^```", (ROOT / page).read_text(), re.M | re.S):
        if holds in block:
            lines = [re.sub(r"\s+# .*", "", line) for line in block.splitlines()]
            found.append([line for line in lines if line and not line.startswith("#")])
    return found


def put(lines, places):
    """The lines with each text of `places` replaced, all of which must be there."""
    text = "\n".join(lines)
    for written, real in places.items():
        assert written in text, f"the page says nothing of {written}"
        text = text.replace(written, str(real))
    return text.split("\n")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
