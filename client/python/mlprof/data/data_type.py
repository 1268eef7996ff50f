"""Types of columns. There is one: a row is the text of a request."""

from __future__ import annotations


class DataType:
    """What `set_column_types` takes."""

    @staticmethod
    def to_string() -> "DataType":
        return DataType()
