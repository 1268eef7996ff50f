"""A name space for models, datasets and profiles on one server."""

from __future__ import annotations

import html
import json
import pathlib
from typing import TYPE_CHECKING, Any, Callable, Dict, Optional

from mlprof.core.authentication import Authentication, AzureLogin, bearer_token
from mlprof.exceptions import UserErrorException
from mlprof.rest.connection import Connection
from mlprof.rest.location import locate_server
from mlprof.rest.transport import Transport

if TYPE_CHECKING:
    from mlprof.core.datastore import Datastore
    from mlprof.core.model import Model
    from mlprof.data.tabular_dataset import TabularDataset

DEFAULT = "default"
CONFIG_PLACES = ("config.json", ".azureml/config.json", "aml_config/config.json")


class Workspace:
    """Subscription, group and name together, a name alone, or nothing for the workspace "default".

    A workspace is made by its first use. `server`, `token` and `ca` go before MLPROF_SERVER,
    MLPROF_TOKEN, MLPROF_CA and the config file. Raises where no server answers.
    """

    def __init__(
        self,
        subscription_id: Optional[str] = None,
        resource_group: Optional[str] = None,
        workspace_name: Optional[str] = None,
        auth: Optional[Authentication] = None,
        *,
        server: Optional[str] = None,
        token: Optional[str] = None,
        ca: Optional[str] = None,
    ) -> None:
        self.subscription_id = subscription_id
        self.resource_group = resource_group
        self.name = workspace_name or DEFAULT
        self.path = _path(subscription_id, resource_group, workspace_name)
        found = locate_server(server, token, ca)
        self.connection = Connection(
            Transport(found.url, found.ca_file),
            self.path,
            _token(auth, found.token),
        )
        self.connection.get("/version")

    @staticmethod
    def from_config(
        path: Optional[str] = None,
        auth: Optional[Authentication] = None,
        _logger: Optional[object] = None,
        _file_name: Optional[str] = None,
    ) -> "Workspace":
        """Reads config.json, looked for in `path` or in this folder and those above it."""
        file = _find_config(path, _file_name)
        try:
            config = json.loads(file.read_text(encoding="utf-8-sig"))
        except (OSError, ValueError) as error:
            raise UserErrorException(f"{file} cannot be read: {error}") from None
        if not isinstance(config, dict):
            raise UserErrorException(f"{file} is no JSON object")
        return Workspace(
            config.get("subscription_id"),
            config.get("resource_group"),
            config.get("workspace_name"),
            auth,
        )

    @staticmethod
    def get(
        name: str,
        auth: Optional[Authentication] = None,
        subscription_id: Optional[str] = None,
        resource_group: Optional[str] = None,
    ) -> "Workspace":
        return Workspace(subscription_id, resource_group, name, auth)

    def write_config(self, path: Optional[str] = None, file_name: Optional[str] = None) -> None:
        """Writes what `from_config` reads, below `.azureml`."""
        folder = pathlib.Path(path or ".") / ".azureml"
        folder.mkdir(parents=True, exist_ok=True)
        names = {
            "subscription_id": self.subscription_id,
            "resource_group": self.resource_group,
            "workspace_name": self.name,
        }
        text = json.dumps({key: name for key, name in names.items() if name is not None}, indent=4)
        (folder / (file_name or "config.json")).write_text(text + "\n", encoding="utf-8")

    def get_details(self) -> Dict[str, Any]:
        return {
            "name": self.name,
            "workspace": self.path,
            "server": self.connection.transport.url,
            "serverVersion": self.connection.get("/version").get("version"),
        }

    @property
    def models(self) -> "Dict[str, Model]":
        """The newest version of each model, by name."""
        from mlprof.core.model import Model

        return {model.name: model for model in Model.list(self, latest=True)}

    @property
    def datasets(self) -> "Dict[str, TabularDataset]":
        """The newest version of each dataset, by name."""
        from mlprof.core.dataset import Dataset

        return Dataset.get_all(self)

    def get_default_datastore(self) -> "Datastore":
        from mlprof.core.datastore import Datastore

        return Datastore.get_default(self)

    def __repr__(self) -> str:
        return f"Workspace({self.path!r} on {self.connection.transport.url})"

    def _repr_html_(self) -> str:
        return f"<code>{html.escape(repr(self))}</code>"


def _token(auth: Optional[Authentication], found: str) -> Callable[[], str]:
    if auth is None or isinstance(auth, AzureLogin):
        return lambda: found
    return lambda: bearer_token(auth)


def _path(subscription: Optional[str], group: Optional[str], name: Optional[str]) -> str:
    if subscription is None and group is None:
        return name or DEFAULT
    if subscription is None or group is None or name is None:
        raise UserErrorException(
            "Give subscription_id, resource_group and workspace_name, or workspace_name alone."
        )
    return f"{subscription}/{group}/{name}"


def _find_config(path: Optional[str], file_name: Optional[str]) -> pathlib.Path:
    if path is not None and pathlib.Path(path).is_file():
        return pathlib.Path(path)
    start = pathlib.Path(path or ".").resolve()
    folders = [start] if path is not None else [start, *start.parents]
    for folder in folders:
        for place in CONFIG_PLACES:
            file = (folder / place).with_name(file_name) if file_name else folder / place
            if file.is_file():
                return file
    raise UserErrorException(
        f"There is no config.json in {start}{'' if path is not None else ' or a folder above it'}; "
        "write_config() of a workspace writes one."
    )
