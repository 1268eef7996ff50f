"""Times as the server writes them."""

from __future__ import annotations

import datetime


def parse_time(text: str) -> datetime.datetime:
    """RFC 3339 in UTC, with or without a fraction."""
    whole, _, fraction = text.rstrip("Z").partition(".")
    moment = datetime.datetime.strptime(whole, "%Y-%m-%dT%H:%M:%S")
    microseconds = int((fraction + "000000")[:6]) if fraction else 0
    return moment.replace(microsecond=microseconds, tzinfo=datetime.timezone.utc)
