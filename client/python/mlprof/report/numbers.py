"""Numbers as people read them; pure."""

from __future__ import annotations

from typing import Optional


def number(value: Optional[float]) -> str:
    """Three digits, "-" where there is none."""
    if value is None:
        return "-"
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"


def mib(size_in_bytes: float) -> str:
    return f"{size_in_bytes / 2**20:.0f} MiB"
