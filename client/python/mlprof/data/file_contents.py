"""The files that a path given to a dataset means."""

from __future__ import annotations

import glob
import http.client
import pathlib
import urllib.error
import urllib.request
from typing import Any, Iterator, List, Sequence, Tuple, Union

from mlprof.core.datastore import Datastore
from mlprof.data.datapath import DataPath
from mlprof.exceptions import UserErrorException

FETCH_TIMEOUT_SECONDS = 60.0
LARGEST_FETCH_BYTES = 1 << 30

OnePath = Union[str, "pathlib.PurePath", DataPath, Tuple[Datastore, str]]
Paths = Union[OnePath, Sequence[OnePath]]


def contents(paths: Paths) -> Iterator[Tuple[str, bytes]]:
    """(name, bytes) of each file, in order: of folders and patterns sorted by name."""
    for path in _each(paths):
        if isinstance(path, str) and path.startswith(("http://", "https://")):
            yield path, _fetch(path)
            continue
        files = _files(path)
        if not files:
            raise UserErrorException(f"there is no file {_shown(path)}")
        for file in files:
            try:
                yield str(file), file.read_bytes()
            except OSError as error:
                raise UserErrorException(f"{file} cannot be read: {error.strerror}") from None


def _each(paths: Any) -> List[Any]:
    single = isinstance(paths, (str, pathlib.PurePath, DataPath)) or (
        isinstance(paths, tuple) and len(paths) == 2 and isinstance(paths[0], Datastore)
    )
    return [paths] if single else list(paths)


def _pattern(path: Any) -> pathlib.Path:
    if isinstance(path, DataPath):
        return path.datastore.local_path(path.path_on_datastore)
    if isinstance(path, tuple) and len(path) == 2 and isinstance(path[0], Datastore):
        return path[0].local_path(str(path[1]))
    if isinstance(path, (str, pathlib.PurePath)):
        return pathlib.Path(path)
    raise UserErrorException(f"{path!r} is no path of a file or a datastore")


def _files(path: Any) -> List[pathlib.Path]:
    pattern = _pattern(path)
    if pattern.is_dir():
        pattern = pattern / "**"
    found = [pattern] if pattern.is_file() else map(
        pathlib.Path, glob.glob(str(pattern), recursive=True)
    )
    return sorted(file for file in found if file.is_file() and file.suffix != ".part")


def _shown(path: Any) -> str:
    if isinstance(path, tuple):
        return f"{path[1]} in the datastore {path[0].name}"
    return path.path_on_datastore if isinstance(path, DataPath) else str(path)


def _fetch(url: str) -> bytes:
    try:
        with urllib.request.urlopen(url, timeout=FETCH_TIMEOUT_SECONDS) as response:
            content = bytes(response.read(LARGEST_FETCH_BYTES + 1))
    except (urllib.error.URLError, http.client.HTTPException, OSError) as error:
        raise UserErrorException(f"{url} cannot be read: {error}") from None
    if len(content) > LARGEST_FETCH_BYTES:
        raise UserErrorException(f"{url} is larger than {LARGEST_FETCH_BYTES >> 20} MiB")
    return content
