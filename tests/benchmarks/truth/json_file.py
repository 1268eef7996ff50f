"""Files of JSON, written whole or not at all."""

import json
import pathlib


class Unreadable(ValueError):
    """Says which file."""


def read(path, otherwise):
    """`otherwise` where there is none."""
    path = pathlib.Path(path)
    if not path.exists():
        return otherwise
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise Unreadable(f"{path} is not readable as JSON: {error}") from None


def write(path, value, **how):
    path = pathlib.Path(path)
    text = json.dumps(value, **how) + "\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)
