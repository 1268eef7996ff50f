"""Names of choices in reading files."""

from __future__ import annotations

import enum


class PromoteHeadersBehavior(enum.Enum):
    """Which first lines are names of the column, not rows."""

    NO_HEADERS = 0
    ONLY_FIRST_FILE_HAS_HEADERS = 1
    COMBINE_ALL_FILES_HEADERS = 2
    ALL_FILES_HAVE_SAME_HEADERS = 3
