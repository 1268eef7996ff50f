"""Registered datasets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Union

from mlprof.data.dataset_factory import TabularDatasetFactory
from mlprof.data.tabular_dataset import TabularDataset
from mlprof.exceptions import UserErrorException, WebserviceException
from mlprof.rest.connection import segment

if TYPE_CHECKING:
    from mlprof.core.workspace import Workspace


class Dataset:
    """An id is NAME:VERSION; it is what the command line takes as `--idi`."""

    Tabular = TabularDatasetFactory

    @staticmethod
    def get_by_name(
        workspace: "Workspace", name: str, version: Union[int, str] = "latest"
    ) -> TabularDataset:
        id = name if version in ("latest", None) else f"{name}:{version}"
        return _get(workspace, id, f"Cannot find dataset registered with name {name!r}")

    @staticmethod
    def get_by_id(workspace: "Workspace", id: str, **kwargs: Any) -> TabularDataset:
        del kwargs
        return _get(workspace, id, f"Cannot find dataset with id {id!r}")

    @staticmethod
    def get_all(workspace: "Workspace") -> Dict[str, TabularDataset]:
        """The newest version of each, by name."""
        newest: Dict[str, TabularDataset] = {}
        for resource in workspace.connection.list_all("/datasets"):
            known = newest.get(resource["name"])
            if known is None or int(resource["version"]) > int(known.version or 0):
                newest[resource["name"]] = TabularDataset.of_resource(workspace, resource)
        return newest


def _get(workspace: "Workspace", id: str, missing: str) -> TabularDataset:
    try:
        resource = workspace.connection.get(f"/datasets/{segment(id)}")
    except WebserviceException as error:
        if error.status_code in (400, 404):
            raise UserErrorException(f"{missing} in the workspace {workspace.path}") from None
        raise
    return TabularDataset.of_resource(workspace, resource)
