"""Where a script puts files before they are a dataset.

mlprof's server keeps datasets, not files. So a datastore is a folder on this machine, one for each
workspace; what is in it goes to the server as rows, when a dataset made of it is registered or
profiled with.
"""

from __future__ import annotations

import hashlib
import os
import pathlib
import re
import shutil
from typing import TYPE_CHECKING, List, Optional

from mlprof.data.datapath import DataPath
from mlprof.exceptions import UserErrorException

if TYPE_CHECKING:
    from mlprof.core.workspace import Workspace

DEFAULT = "workspaceblobstore"


class Datastore:
    """One folder; the same workspace finds it again. Not safe for two scripts writing at once."""

    def __init__(self, workspace: "Workspace", name: Optional[str] = None) -> None:
        self.workspace = workspace
        self.name = name or DEFAULT
        if not re.fullmatch(r"[A-Za-z0-9_]{1,255}", self.name):
            raise UserErrorException(f"{self.name!r} is no name of a datastore")
        key = f"{workspace.connection.transport.url} {workspace.path}"
        self.folder = _base() / hashlib.sha256(key.encode()).hexdigest()[:16] / self.name

    @staticmethod
    def get_default(workspace: "Workspace") -> "Datastore":
        return Datastore(workspace)

    @staticmethod
    def get(workspace: "Workspace", datastore_name: str) -> "Datastore":
        return Datastore(workspace, datastore_name)

    def path(self, path: Optional[str] = None) -> DataPath:
        return DataPath(self, path or "")

    def upload_files(
        self,
        files: List[str],
        relative_root: Optional[str] = None,
        target_path: Optional[str] = None,
        overwrite: bool = False,
        show_progress: bool = True,
    ) -> DataPath:
        """Copies files below `target_path`, keeping their folders below `relative_root`.

        Without `relative_root` that is the deepest folder that holds all of them.
        """
        sources = [pathlib.Path(file).resolve() for file in files]
        for source in sources:
            if not source.is_file():
                raise UserErrorException(f"there is no file {source}")
        root = pathlib.Path(relative_root).resolve() if relative_root else _common(sources)
        copied = 0
        for source in sources:
            if root != source.parent and root not in source.parents:
                raise UserErrorException(f"{source} does not lie below {root}")
            copied += self._copy(source, root, target_path or "", overwrite, show_progress)
        if show_progress:
            print(f"Copied {copied} of {len(sources)} files to {self.folder}")
        return DataPath(self, target_path or "")

    def upload(
        self,
        src_dir: str,
        target_path: Optional[str] = None,
        overwrite: bool = False,
        show_progress: bool = True,
    ) -> DataPath:
        """Copies a folder's files below `target_path`."""
        found = sorted(str(file) for file in pathlib.Path(src_dir).rglob("*") if file.is_file())
        if not found:
            raise UserErrorException(f"there are no files in {src_dir}")
        return self.upload_files(found, src_dir, target_path, overwrite, show_progress)

    def _copy(
        self, source: pathlib.Path, root: pathlib.Path, target: str, overwrite: bool, show: bool
    ) -> int:
        place = self.local_path(os.path.join(target, source.relative_to(root)))
        if place.exists() and not overwrite:
            if show:
                shown = place.relative_to(self.folder)
                print(f"Target already exists. Skipping upload for {shown}")
            return 0
        place.parent.mkdir(parents=True, exist_ok=True)
        partial = place.with_name(place.name + ".part")
        shutil.copyfile(source, partial)
        os.replace(partial, place)
        return 1

    def local_path(self, path: str) -> pathlib.Path:
        """The place of a path of this datastore; it may hold wildcards."""
        parts = pathlib.PurePosixPath(path.replace(os.sep, "/")).parts
        if ".." in parts or path.startswith("/"):
            raise UserErrorException(f"{path} leads out of the datastore")
        return self.folder.joinpath(*parts)


def _common(files: List[pathlib.Path]) -> pathlib.Path:
    return pathlib.Path(os.path.commonpath([str(file.parent) for file in files]) if files else ".")


def _base() -> pathlib.Path:
    folder = os.environ.get("XDG_DATA_HOME", "")
    data = pathlib.Path(folder) if folder.startswith("/") else pathlib.Path.home() / ".local/share"
    return data / "mlprof-datastore"
