"""A downloaded tar as files: nothing is written outside of the folder, and no link is made."""

from __future__ import annotations

import os
import pathlib
import shutil
import tarfile
from typing import BinaryIO, List

from mlprof.exceptions import WebserviceException


def unpack(tar_file: BinaryIO, target: pathlib.Path, overwrite: bool) -> pathlib.Path:
    """Writes the content below `target`; the place of its only entry, or `target` for several."""
    tar_file.seek(0)
    try:
        with tarfile.open(fileobj=tar_file, mode="r:") as tar:
            members = [m for m in tar.getmembers() if pathlib.PurePosixPath(m.name).parts]
            places = [_inside(target, member) for member in members]
            tops = _tops(members)
            taken = [target / top for top in tops if (target / top).exists()]
            if taken and not overwrite:
                raise WebserviceException(
                    f"{taken[0]} exists already; exist_ok=True writes over it"
                )
            target.mkdir(parents=True, exist_ok=True)
            for member, place in zip(members, places):
                _write(tar, member, place)
    except (tarfile.TarError, EOFError) as error:
        raise WebserviceException(f"the server's response is no tar: {error}") from None
    return target / tops[0] if len(tops) == 1 else target


def _tops(members: List[tarfile.TarInfo]) -> List[str]:
    return sorted({pathlib.PurePosixPath(member.name).parts[0] for member in members})


def _inside(target: pathlib.Path, member: tarfile.TarInfo) -> pathlib.Path:
    parts = pathlib.PurePosixPath(member.name).parts
    plain = member.isfile() or member.isdir()
    if not plain or not parts or ".." in parts or parts[0] == "/" or "\\" in member.name:
        raise WebserviceException(f"the model has an entry that is not unpacked: {member.name!r}")
    place = target.joinpath(*parts)
    real_target = os.path.realpath(target)
    if os.path.commonpath([real_target, os.path.realpath(place)]) != real_target:
        raise WebserviceException(f"{place} leads out of {target}")
    return place


def _write(tar: tarfile.TarFile, member: tarfile.TarInfo, place: pathlib.Path) -> None:
    if member.isdir():
        place.mkdir(parents=True, exist_ok=True)
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    content = tar.extractfile(member)
    assert content is not None  # it is a file
    with content, open(place, "wb") as out:
        shutil.copyfileobj(content, out)
    place.chmod(0o755 if member.mode & 0o100 else 0o644)
