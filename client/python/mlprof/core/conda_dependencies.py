"""What an entry script needs installed."""

from __future__ import annotations

import copy
import pathlib
from typing import Iterable, List, Optional

from mlprof.core.conda_file import CondaFile, format_conda_file, package_name, parse_conda_file
from mlprof.exceptions import UserErrorException


class CondaDependencies:
    """Packages by pip and by conda. The server installs the pip ones; others it warns about."""

    def __init__(
        self,
        conda_dependencies_file_path: Optional[str] = None,
        _underlying_structure: Optional[CondaFile] = None,
    ) -> None:
        self._file = copy.deepcopy(_underlying_structure) or CondaFile()
        if conda_dependencies_file_path is not None:
            self._file = parse_conda_file(
                read_text(conda_dependencies_file_path), conda_dependencies_file_path
            )

    @staticmethod
    def create(
        pip_indexurl: Optional[str] = None,
        pip_packages: Optional[Iterable[str]] = None,
        conda_packages: Optional[Iterable[str]] = None,
        python_version: Optional[str] = None,
        pin_sdk_version: bool = True,
    ) -> "CondaDependencies":
        """Without `python_version` the base image's own is meant."""
        del pin_sdk_version  # there is no SDK in it to pin
        if pip_indexurl is not None:
            raise UserErrorException(
                "pip_indexurl: packages come from the index that the server's pip is set to"
            )
        made = CondaDependencies()
        if python_version is not None:
            made.set_python_version(python_version)
        for package in conda_packages or ():
            made.add_conda_package(package)
        for package in pip_packages or ():
            made.add_pip_package(package)
        return made

    @property
    def pip_packages(self) -> Iterable[str]:
        return list(self._file.pip)

    @property
    def conda_packages(self) -> Iterable[str]:
        return [entry for entry in self._file.conda if package_name(entry) not in ("python", "pip")]

    @property
    def python_version(self) -> Optional[str]:
        for entry in self._file.conda:
            if package_name(entry) == "python" and "=" in entry:
                return entry.rpartition("=")[2].strip()
        return None

    def add_pip_package(self, pip_package: str) -> None:
        _put(self._file.pip, pip_package)

    def add_conda_package(self, conda_package: str) -> None:
        _put(self._file.conda, conda_package)

    def remove_pip_package(self, pip_package: str) -> None:
        _drop(self._file.pip, pip_package)

    def remove_conda_package(self, conda_package: str) -> None:
        _drop(self._file.conda, conda_package)

    def set_pip_requirements(self, pip_requirements: Iterable[str]) -> None:
        self._file.pip = list(pip_requirements)

    def set_python_version(self, version: str) -> None:
        _put(self._file.conda, f"python={version}")

    def add_channel(self, channel: str) -> None:
        if channel not in self._file.channels:
            self._file.channels.append(channel)

    def serialize_to_string(self) -> str:
        """A conda environment file."""
        return format_conda_file(self._file)

    def save_to_file(self, base_directory: str, conda_file_path: Optional[str] = None) -> str:
        """Writes the file; its path relative to `base_directory`."""
        name = conda_file_path or "conda_dependencies.yml"
        (pathlib.Path(base_directory) / name).write_text(self.serialize_to_string(), "utf-8")
        return name


def read_text(path: str) -> str:
    try:
        return pathlib.Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UserErrorException(f"{path} cannot be read: {error}") from None


def _put(entries: List[str], entry: str) -> None:
    """In the place of an entry for the same package, if there is one."""
    for index, known in enumerate(entries):
        if package_name(known) == package_name(entry):
            entries[index] = entry
            return
    entries.append(entry)


def _drop(entries: List[str], entry: str) -> None:
    entries[:] = [known for known in entries if package_name(known) != package_name(entry)]
