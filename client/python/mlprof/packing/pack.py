"""A file or folder as a tar: the same content gives the same bytes."""

from __future__ import annotations

import io
import os
import pathlib
import tarfile
import tempfile
from typing import BinaryIO, Collection, Iterator, Mapping, Optional, Tuple, Union, cast

from mlprof.exceptions import UserErrorException

LEFT_OUT = {"__pycache__", ".git", ".venv"}

Path = Union[str, "os.PathLike[str]"]


def pack_under_name(path: Path, only: Optional[Collection[str]] = None) -> BinaryIO:
    """A model: a folder lies in the tar under its own name, a file at the root.

    `only` names the files of the folder to take, relative to it. Returns an open temporary file,
    which is gone once it is closed.
    """
    real = _existing(path)
    name = pathlib.Path(os.path.abspath(path)).name
    wanted = None
    if only is not None:
        wanted = {f"{name}/{pathlib.PurePath(file).as_posix()}" for file in only}
    entries = list(_entries(real, name, wanted))
    missing = sorted((wanted or set()) - {place for place, _ in entries})
    if missing:
        raise UserErrorException(f"there is no {missing[0]} below {path}")
    return _pack(entries, {})


def pack_content(folder: Path, extra: Mapping[str, bytes]) -> BinaryIO:
    """A source: the folder's content at the root, and files that are made up."""
    return _pack(list(_entries(_existing(folder), "", None)), extra)


def pack_file(file: Path, extra: Mapping[str, bytes]) -> BinaryIO:
    """A source of one script, and files that are made up."""
    real = _existing(file)
    return _pack([(real.name, real)], extra)


def _existing(path: Path) -> pathlib.Path:
    real = pathlib.Path(os.path.realpath(path))
    if not real.exists():
        raise UserErrorException(f"{path} does not exist")
    return real


def _entries(
    path: pathlib.Path, name: str, wanted: Optional[Collection[str]]
) -> Iterator[Tuple[str, pathlib.Path]]:
    """(place in the tar, file or folder) of `path` and all below it."""
    if path.is_file():
        if wanted is None or name in wanted:
            yield name, path
        return
    if not path.is_dir() or (path.is_symlink() and name):
        raise UserErrorException(
            f"{path} is neither a file nor a folder; links to folders are not packed"
        )
    if name and wanted is None:
        yield name, path
    for child in sorted(path.iterdir()):
        if child.name not in LEFT_OUT:
            yield from _entries(child, f"{name}/{child.name}" if name else child.name, wanted)


def _pack(entries: "list[Tuple[str, pathlib.Path]]", extra: Mapping[str, bytes]) -> BinaryIO:
    out = cast(BinaryIO, tempfile.TemporaryFile(prefix="mlprof-"))
    try:
        with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
            for name, path in entries:
                if name in extra:
                    raise UserErrorException(f"{path}: mlprof itself puts such a file there")
                _add(tar, name, path)
            for name, content in sorted(extra.items()):
                entry = tarfile.TarInfo(name)
                entry.size = len(content)
                tar.addfile(entry, io.BytesIO(content))
    except OSError as error:
        out.close()
        raise UserErrorException(f"cannot pack: {error}") from None
    except BaseException:
        out.close()
        raise
    return out


def _add(tar: tarfile.TarFile, name: str, path: pathlib.Path) -> None:
    entry = tarfile.TarInfo(name)
    status = path.stat()
    if path.is_dir():
        entry.type = tarfile.DIRTYPE
        entry.mode = 0o755
        tar.addfile(entry)
        return
    entry.mode = 0o755 if status.st_mode & 0o100 else 0o644
    entry.size = status.st_size
    with open(path, "rb") as content:
        tar.addfile(entry, content)
