"""How a model is served: an entry script in an environment, or any image that speaks HTTP."""

from __future__ import annotations

import os
import pathlib
from typing import Any, BinaryIO, Dict, Mapping, Optional, Sequence

from mlprof.core.environment import Environment
from mlprof.exceptions import UserErrorException
from mlprof.packing.pack import pack_content, pack_file
from mlprof.rest.connection import Connection

# What both forms take, under the names of inferenceConfig.json.
SERVING_OPTIONS = {
    "headers": "headers",
    "readiness_path": "readinessPath",
    "model_mount_path": "modelMountPath",
    "environment_variables": "environmentVariables",
    "profiler_port": "profilerPort",
    "network": "network",
    "run_as_root": "runAsRoot",
    "writable_paths": "writablePaths",
    "shm_size_in_mb": "shmSizeInMb",
    "start_timeout_seconds": "startTimeoutSeconds",
    "request_timeout_seconds": "requestTimeoutSeconds",
}


class InferenceConfig:
    """An entry script has `init()` and `run(raw_data)`; its path counts from `source_directory`.

    Without a source directory the script alone is sent. Besides azureml-core's parameters there are
    the keys of SERVING_OPTIONS, such as `request_timeout_seconds=10`.
    """

    def __init__(
        self,
        entry_script: str,
        runtime: Optional[str] = None,
        conda_file: Optional[str] = None,
        extra_docker_file_steps: Optional[str] = None,
        source_directory: Optional[str] = None,
        enable_gpu: Optional[bool] = None,
        description: Optional[str] = None,
        base_image: Optional[str] = None,
        base_image_registry: Optional[object] = None,
        cuda_version: Optional[str] = None,
        environment: Optional[Environment] = None,
        **serving_options: Any,
    ) -> None:
        del runtime  # "python" was its only value left
        for name, value in (
            ("extra_docker_file_steps", extra_docker_file_steps),
            ("enable_gpu", enable_gpu),
            ("base_image_registry", base_image_registry),
            ("cuda_version", cuda_version),
        ):
            if value:
                raise UserErrorException(
                    f"{name}: not in mlprof; give an image with all of it as the base image"
                )
        self.entry_script = entry_script
        self.source_directory = source_directory
        self.description = description
        self.environment = environment or _environment(conda_file, base_image)
        self._options = _serving(serving_options)
        self._image: Optional[Dict[str, Any]] = None
        self._check_files()

    @classmethod
    def from_image(
        cls,
        image: str,
        *,
        command: Optional[Sequence[str]] = None,
        args: Optional[Sequence[str]] = None,
        port: Optional[int] = None,
        scoring_path: Optional[str] = None,
        method: Optional[str] = None,
        content_type: Optional[str] = None,
        **serving_options: Any,
    ) -> "InferenceConfig":
        """Any image that speaks HTTP. `command` replaces its ENTRYPOINT, `args` its CMD."""
        config = cls.__new__(cls)
        config.entry_script = ""
        config.source_directory = None
        config.description = None
        config.environment = Environment("image")
        config._options = _serving(serving_options)
        fields = {
            "command": None if command is None else list(command),
            "args": None if args is None else list(args),
            "port": port,
            "scoringPath": scoring_path,
            "method": method,
            "contentType": content_type,
        }
        given = {name: value for name, value in fields.items() if value is not None}
        config._image = {"image": image, **given}
        return config

    def upload(self, connection: Connection) -> Dict[str, Any]:
        """Sends the source, if there is one; mlprof's `inferenceConfig` that uses it."""
        if self._image is not None:
            return {**self._image, **self._options}
        self._check_files()
        environment, files = self.environment.to_json()
        with self._source(files) as tar:
            source = connection.post_file("/sources", tar, "application/x-tar")
        script = pathlib.PurePath(self.entry_script)
        place = script.as_posix() if self.source_directory is not None else script.name
        return {
            "entryScript": place,
            "sourceId": source["id"],
            "environment": environment,
            **self._options,
        }

    def _source(self, files: Mapping[str, bytes]) -> BinaryIO:
        if self.source_directory is None:
            return pack_file(self.entry_script, files)
        return pack_content(self.source_directory, files)

    def _check_files(self) -> None:
        folder = self.source_directory
        if folder is not None and not os.path.isdir(folder):
            raise UserErrorException(f"source_directory: there is no folder {folder}")
        script = os.path.join(folder or "", self.entry_script)
        if not os.path.isfile(script):
            raise UserErrorException(f"entry_script: there is no file {script}")


def _environment(conda_file: Optional[str], base_image: Optional[str]) -> Environment:
    environment = Environment("default")
    environment.python.conda_dependencies_file = conda_file
    environment.docker.base_image = base_image
    return environment


def _serving(options: Mapping[str, Any]) -> Dict[str, Any]:
    unknown = sorted(set(options) - set(SERVING_OPTIONS))
    if unknown:
        raise TypeError(f"InferenceConfig has no parameter {unknown[0]}")
    return {
        SERVING_OPTIONS[name]: value for name, value in options.items() if value is not None
    }
