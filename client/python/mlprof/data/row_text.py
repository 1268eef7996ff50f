"""The rows in a file's text; pure."""

from __future__ import annotations

import codecs
from typing import List, Optional, Tuple

from mlprof.exceptions import UserErrorException

ENCODINGS = {
    "utf8": "utf-8-sig",
    "utf8bom": "utf-8-sig",
    "utf16": "utf-16",
    "ascii": "ascii",
    "iso88591": "iso-8859-1",
    "latin1": "iso-8859-1",
    "windows1252": "cp1252",
}


def decode(content: bytes, encoding: str, name: str) -> str:
    """`name` is what errors call the file."""
    codec = ENCODINGS.get(encoding.lower().replace("-", "").replace("_", ""))
    if codec is None:
        raise UserErrorException(f"encoding: {encoding} is none of {', '.join(sorted(ENCODINGS))}")
    try:
        return codecs.decode(content, codec)
    except UnicodeDecodeError as error:
        raise UserErrorException(f"{name} is no {encoding}: {error}") from None


def rows_of(
    text: str, separator: str, has_header: bool, multi_line: bool, name: str
) -> Tuple[List[str], Optional[str]]:
    """The rows that are not empty, and the header.

    A field that is quoted from its start to its end loses its quotes, as in CSV; any other is taken
    as it stands. `multi_line` lets a quoted field hold line ends.
    """
    separator = "\n" if separator == "\r\n" else separator
    if len(separator) != 1:
        raise UserErrorException(f"separator: {separator!r} must be one character")
    rows: List[str] = []
    at = 0
    while at < len(text):
        began = at
        row, at = _field(text, at, separator, multi_line)
        if at < len(text) and text[at] == separator and separator != "\n":
            line = text.count("\n", 0, began) + 1
            raise UserErrorException(
                f"{name}, line {line}: more than one column; a row is one request, so there must "
                "be one (is the separator '\\n' meant?)"
            )
        at += 1  # the line end
        if row:
            rows.append(row)
    if not has_header:
        return rows, None
    return rows[1:], rows[0] if rows else None


def _field(text: str, at: int, separator: str, multi_line: bool) -> Tuple[str, int]:
    """The field that begins at `at`, and where what ends it stands."""
    quoted = _quoted(text, at, separator, multi_line) if text.startswith('"', at) else None
    if quoted is not None:
        return quoted
    end = text.find("\n", at)
    end = len(text) if end < 0 else end
    cut = text.find(separator, at, end)
    if cut >= 0:
        return text[at:cut], cut
    field = text[at:end]
    return field[:-1] if field.endswith("\r") else field, end


def _quoted(text: str, at: int, separator: str, multi_line: bool) -> Optional[Tuple[str, int]]:
    """None where no quoted field is there."""
    parts: List[str] = []
    begin = at + 1
    while True:
        quote = text.find('"', begin)
        if quote < 0:
            return None
        parts.append(text[begin:quote])
        begin = quote + 1
        if not text.startswith('"', begin):
            break
        parts.append('"')
        begin += 1
    end = begin + 1 if text.startswith("\r\n", begin) or text[begin:] == "\r" else begin
    field = "".join(parts)
    clean = end == len(text) or text[end] in ("\n", separator)
    return (field, end) if clean and (multi_line or "\n" not in field) else None
