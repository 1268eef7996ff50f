"""What an entry script runs in: a base image, packages, environment variables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple

from mlprof.core.conda_dependencies import CondaDependencies, read_text
from mlprof.exceptions import UserErrorException

if TYPE_CHECKING:
    from mlprof.core.workspace import Workspace

__all__ = ["CondaDependencies", "DockerSection", "Environment", "PythonSection"]

# Where the packages lie in an uploaded source.
CONDA_FILE = ".mlprof/conda.yml"


class PythonSection:
    """Packages, and whether to install any."""

    def __init__(self) -> None:
        self.conda_dependencies: Optional[CondaDependencies] = CondaDependencies()
        self.conda_dependencies_file: Optional[str] = None
        self.user_managed_dependencies = False
        self.interpreter_path = "python"


class DockerSection:
    """The base image; None means mlprof's own. `enabled` is always true in effect."""

    def __init__(self) -> None:
        self.enabled = True
        self.base_image: Optional[str] = None
        self.base_dockerfile: Optional[str] = None


class Environment:
    """Kept with each profile that uses it; there is no list of environments on the server."""

    def __init__(self, name: str, **kwargs: Any) -> None:
        if kwargs:
            raise UserErrorException(f"Environment does not have {', '.join(sorted(kwargs))} here")
        self.name = name
        self.version: Optional[str] = None
        self.python = PythonSection()
        self.docker = DockerSection()
        self.environment_variables: Dict[str, str] = {}
        self.inferencing_stack_version: Optional[str] = None

    def register(self, workspace: "Workspace") -> "Environment":
        """Does nothing: each profile brings its environment along."""
        del workspace
        return self

    @staticmethod
    def get(
        workspace: "Workspace",
        name: str,
        version: Optional[str] = None,
        label: Optional[str] = None,
    ) -> "Environment":
        del workspace, version, label
        raise UserErrorException(
            f"Environment.get: the server keeps no list of environments. Make {name!r} in the "
            "script: Environment.from_conda_specification or from_pip_requirements."
        )

    @staticmethod
    def from_conda_specification(name: str, file_path: str) -> "Environment":
        environment = Environment(name)
        environment.python.conda_dependencies = CondaDependencies(file_path)
        return environment

    @staticmethod
    def from_pip_requirements(
        name: str, file_path: str, pip_version: Optional[str] = None
    ) -> "Environment":
        """One requirement a line, without comments; the server refuses options of pip."""
        del pip_version  # the base image has its own
        lines = (line.split(" #")[0].strip() for line in read_text(file_path).splitlines())
        environment = Environment(name)
        environment.python.conda_dependencies = CondaDependencies.create(
            pip_packages=[line for line in lines if line and not line.startswith("#")]
        )
        return environment

    @staticmethod
    def from_docker_image(
        name: str,
        image: str,
        container_registry: Optional[object] = None,
        conda_specification: Optional[str] = None,
        pip_requirements: Optional[str] = None,
    ) -> "Environment":
        if container_registry is not None:
            raise UserErrorException(
                "container_registry: the server pulls with the logins of its own Docker engine"
            )
        if conda_specification is not None:
            environment = Environment.from_conda_specification(name, conda_specification)
        elif pip_requirements is not None:
            environment = Environment.from_pip_requirements(name, pip_requirements)
        else:
            environment = Environment(name)
        environment.docker.base_image = image
        return environment

    def to_json(self) -> Tuple[Dict[str, Any], Dict[str, bytes]]:
        """As mlprof's `inferenceConfig.environment`, and the files it wants in the source."""
        if self.docker.base_dockerfile is not None:
            raise UserErrorException(
                "docker.base_dockerfile: build the image first and name it as docker.base_image"
            )
        environment: Dict[str, Any] = {"name": self.name}
        if self.docker.base_image:
            environment["docker"] = {"baseImage": self.docker.base_image}
        variables = {name: str(value) for name, value in self.environment_variables.items()}
        if variables:
            environment["environmentVariables"] = variables
        python, files = self._packages()
        if python:
            environment["python"] = python
        return environment, files

    def _packages(self) -> Tuple[Dict[str, Any], Dict[str, bytes]]:
        packages = self.python.conda_dependencies
        if self.python.conda_dependencies_file is not None:
            packages = CondaDependencies(self.python.conda_dependencies_file)
        if packages is None or self.python.user_managed_dependencies:
            return {}, {}
        pip: List[str] = list(packages.pip_packages)
        if packages.python_version is None and not list(packages.conda_packages):
            return ({"pipPackages": pip} if pip else {}), {}
        # The server says which parts of a conda file it leaves out.
        text = packages.serialize_to_string().encode()
        return {"condaDependenciesFile": CONDA_FILE}, {CONDA_FILE: text}
