"""Datasets out of files."""

from __future__ import annotations

import warnings
from typing import Any, List, Mapping, Optional, Union

from mlprof.data.data_type import DataType
from mlprof.data.dataset_type_definitions import PromoteHeadersBehavior
from mlprof.data.file_contents import Paths, contents
from mlprof.data.row_text import decode, rows_of
from mlprof.data.tabular_dataset import Row, TabularDataset
from mlprof.exceptions import UserErrorException

Header = Union[bool, PromoteHeadersBehavior]
SHOWN_CHARACTERS = 60


class TabularDatasetFactory:
    """`Dataset.Tabular`."""

    @staticmethod
    def from_delimited_files(
        path: Paths,
        validate: bool = True,
        include_path: bool = False,
        infer_column_types: bool = True,
        set_column_types: Optional[Mapping[str, DataType]] = None,
        separator: str = ",",
        header: Optional[Header] = None,
        partition_format: Optional[str] = None,
        support_multi_line: bool = False,
        empty_as_string: bool = False,
        encoding: str = "utf8",
    ) -> TabularDataset:
        """Reads the files now; each row that is not empty is the body of one request.

        A row is text whatever it looks like, so no types are inferred. Nothing is sent until the
        dataset is registered or profiled with. Raises UserErrorException.

        No line is a header unless `header` says so, as everywhere in mlprof; a first row that looks
        like one is warned of when the dataset is registered.
        """
        del validate, infer_column_types, empty_as_string  # the rows are the same either way
        _refuse(include_path=include_path, partition_format=partition_format)
        for column, type_ in (set_column_types or {}).items():
            if not isinstance(type_, DataType):
                raise UserErrorException(f"set_column_types: {column} can only be text")
        behavior = _behavior(header)
        rows: List[Row] = []
        column = "Column1"
        for number, (name, content) in enumerate(contents(path)):
            text = decode(content, encoding, name)
            has_header = _has_header(behavior, number)
            found, title = rows_of(text, separator, has_header, support_multi_line, name)
            _say_dropped(title, found, name)
            rows += found
            column = title or column
        return TabularDataset.of_rows(rows, column)

    @staticmethod
    def from_rows(rows: List[Row]) -> TabularDataset:
        """Bodies of requests as they are, text or bytes."""
        return TabularDataset.of_rows(list(rows))


def _say_dropped(title: Optional[str], rows: List[str], name: str) -> None:
    """A header that is a request is left out as asked, but not in silence."""
    if title is not None and (title.startswith(("{", "[")) or title in rows):
        warnings.warn(
            f"{name}: the first line, {title[:SHOWN_CHARACTERS]!r}, was left out as the header, "
            "and looks like a request; header=False keeps it",
            stacklevel=3,
        )


def _behavior(header: Optional[Header]) -> PromoteHeadersBehavior:
    if header is True:
        return PromoteHeadersBehavior.ALL_FILES_HAVE_SAME_HEADERS
    return header or PromoteHeadersBehavior.NO_HEADERS


def _has_header(behavior: PromoteHeadersBehavior, file_number: int) -> bool:
    if behavior is PromoteHeadersBehavior.ONLY_FIRST_FILE_HAS_HEADERS:
        return file_number == 0
    return behavior is not PromoteHeadersBehavior.NO_HEADERS


def _refuse(**parameters: Any) -> None:
    for name, value in parameters.items():
        if value:
            raise UserErrorException(f"{name}: not in mlprof; a dataset has one column of requests")
