"""Registered models."""

from __future__ import annotations

import datetime
import html
import os
import pathlib
import tempfile
import warnings
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Union

from mlprof.core.comparison import Comparison
from mlprof.core.inference_config import InferenceConfig
from mlprof.core.model_facts import (
    FRAMEWORK,
    FRAMEWORK_VERSION,
    fact_properties,
    resources_in,
    without_facts,
)
from mlprof.core.model_query import TagFilter, has_all, newest_of_each, tag_query
from mlprof.core.profile import ModelProfile
from mlprof.core.profile_request import (
    Objective,
    Variant,
    accelerator_of,
    create_comparison,
    create_profile,
)
from mlprof.core.resource_configuration import ResourceConfiguration
from mlprof.core.times import parse_time
from mlprof.data.tabular_dataset import TabularDataset
from mlprof.exceptions import ModelNotFoundException, WebserviceException
from mlprof.packing.pack import pack_under_name
from mlprof.packing.unpack import unpack
from mlprof.rest.connection import JsonObject, segment

if TYPE_CHECKING:
    from mlprof.core.workspace import Workspace

__all__ = ["InferenceConfig", "Model"]


class Model:
    """One version of a model; the newest where no version is named.

    `id` is NAME:VERSION. Attributes are as of the last call that talked to the server.
    """

    def __init__(
        self,
        workspace: "Workspace",
        name: Optional[str] = None,
        id: Optional[str] = None,
        tags: Optional[TagFilter] = None,
        properties: Optional[TagFilter] = None,
        version: Optional[int] = None,
    ) -> None:
        self.workspace = workspace
        if id is None and name is None:
            raise WebserviceException("Give the name or the id of a model.")
        wanted = id or (f"{name}:{version}" if version is not None else str(name))
        if id is None and version is None and (tags or properties):
            found = Model.list(workspace, name, tags, properties)
            if not found:
                raise _not_found(wanted)
            wanted = found[0].id
        try:
            self._take(workspace.connection.get(f"/models/{segment(wanted)}"))
        except WebserviceException as error:
            raise _not_found(wanted) if error.status_code == 404 else error from None

    def _take(self, resource: JsonObject) -> "Model":
        self.id: str = resource["id"]
        self.name: str = resource["name"]
        self.version: int = resource["version"]
        self.description: str = resource["description"]
        self.tags: Dict[str, str] = dict(resource["tags"])
        properties: Dict[str, str] = resource["properties"]
        self.properties = without_facts(properties)
        self.model_framework = properties.get(FRAMEWORK, "Custom")
        self.model_framework_version = properties.get(FRAMEWORK_VERSION)
        self.resource_configuration = resources_in(properties)
        self.created_time: datetime.datetime = parse_time(resource["createdTime"])
        self.size_in_bytes: int = resource["sizeInBytes"]
        self._resource = resource
        return self

    @classmethod
    def _of(cls, workspace: "Workspace", resource: JsonObject) -> "Model":
        model = cls.__new__(cls)
        model.workspace = workspace
        return model._take(resource)

    @staticmethod
    def register(
        workspace: "Workspace",
        model_path: "Union[str, os.PathLike[str]]",
        model_name: str,
        tags: Optional[Mapping[str, object]] = None,
        properties: Optional[Mapping[str, object]] = None,
        description: Optional[str] = None,
        datasets: Optional[object] = None,
        model_framework: Optional[str] = None,
        model_framework_version: Optional[str] = None,
        child_paths: Optional[Sequence[str]] = None,
        sample_input_dataset: Optional[TabularDataset] = None,
        sample_output_dataset: Optional[TabularDataset] = None,
        resource_configuration: Optional[ResourceConfiguration] = None,
    ) -> "Model":
        """Uploads a file or folder as the next version of `model_name`.

        `child_paths` names the files of a folder to take. `datasets` are left out with a warning.
        """
        if datasets:
            warnings.warn("mlprof keeps no list of a model's datasets; left out", stacklevel=2)
        facts = fact_properties(
            model_framework,
            model_framework_version,
            resource_configuration,
            sample_input_dataset,
            sample_output_dataset,
        )
        query = [("name", model_name)]
        if description:
            query.append(("description", description))
        query += [("tag", f"{key}={value}") for key, value in _texts(tags).items()]
        connection = workspace.connection
        with pack_under_name(model_path, child_paths) as tar:
            made = connection.post_file("/models", tar, "application/x-tar", query)
        model = Model._of(workspace, made)
        if properties or facts:
            model.add_properties({**_texts(properties), **facts})
        return model

    @staticmethod
    def list(
        workspace: "Workspace",
        name: Optional[str] = None,
        tags: Optional[TagFilter] = None,
        properties: Optional[TagFilter] = None,
        run_id: Optional[str] = None,
        latest: bool = False,
        dataset_id: Optional[str] = None,
        expand: bool = True,
        page_count: int = 255,
        model_framework: Optional[str] = None,
    ) -> "List[Model]":
        """Newest first. Filters are keys, or [key, value] pairs, which must all hold."""
        del expand, page_count
        if run_id or dataset_id:
            return []  # no model here has any of them
        wanted: List[Union[str, Sequence[str]]] = [*(properties or ())]
        if model_framework:
            wanted.append([FRAMEWORK, model_framework])
        query = ([("name", name)] if name else []) + tag_query(tags)
        resources = workspace.connection.list_all("/models", query)
        found = [model for model in resources if has_all(model["properties"], wanted)]
        if latest:
            found = newest_of_each(found)
        return [Model._of(workspace, resource) for resource in found]

    def update(
        self,
        tags: Optional[Mapping[str, object]] = None,
        description: Optional[str] = None,
        sample_input_dataset: Optional[TabularDataset] = None,
        sample_output_dataset: Optional[TabularDataset] = None,
        resource_configuration: Optional[ResourceConfiguration] = None,
    ) -> None:
        """`tags` takes the place of all tags."""
        change: Dict[str, Any] = {}
        facts = fact_properties(
            None, None, resource_configuration, sample_input_dataset, sample_output_dataset
        )
        if facts:
            change["addProperties"] = facts
        if description is not None:
            change["description"] = description
        if tags is not None:
            wanted = _texts(tags)
            known = self.workspace.connection.get(self._route())["tags"]
            change["addTags"] = wanted
            change["removeTags"] = sorted(set(known) - set(wanted))
        self._change(change)

    def add_tags(self, tags: Mapping[str, object]) -> None:
        self._change({"addTags": _texts(tags)})

    def remove_tags(self, tags: Sequence[str]) -> None:
        self._change({"removeTags": [str(tag) for tag in tags]})

    def add_properties(self, properties: Mapping[str, object]) -> None:
        self._change({"addProperties": _texts(properties)})

    def set_inference_config(self, inference_config: InferenceConfig) -> None:
        """Stores how it is served; profiles that give no inference config use it."""
        self._change({"inferenceConfig": inference_config.upload(self.workspace.connection)})

    def delete(self) -> None:
        """Refused while an unfinished profile uses it."""
        self.workspace.connection.delete(self._route())

    def download(
        self, target_dir: str = ".", exist_ok: bool = False, exists_ok: Optional[bool] = None
    ) -> str:
        """Writes the model's file or folder below `target_dir`; its path."""
        overwrite = exist_ok if exists_ok is None else exists_ok
        with tempfile.TemporaryFile(prefix="mlprof-") as tar:
            self.workspace.connection.download(self._route() + "/content", tar)
            return str(unpack(tar, pathlib.Path(target_dir), overwrite))

    @staticmethod
    def profile(
        workspace: "Workspace",
        profile_name: str,
        models: "Sequence[Model]",
        inference_config: Optional[InferenceConfig],
        input_dataset: TabularDataset,
        cpu: Optional[float] = None,
        memory_in_gb: Optional[float] = None,
        description: Optional[str] = None,
        *,
        objective: Optional[Objective] = None,
        budget_seconds: Optional[int] = None,
        seed: Optional[int] = None,
        soak_seconds: Optional[int] = None,
        when_quiet: Optional[bool] = None,
        accelerator: Optional[str] = None,
        accelerator_count: Optional[int] = None,
    ) -> ModelProfile:
        """Queues a profile. `cpu` and `memory_in_gb` are the most the model may have.

        Without an inference config the first model's stored one is used. `objective` is as in
        mlprof's REST interface: {"concurrency": 4, "latencyInMs": {"p95": 50},
        "startWithinSeconds": 20}, and "connections", "keepAlive", "perRequest" or "both", for those
        that rows go over; of a rate {"requestsPerSecond": 40, "arrivals": {"gamma": {"cv": 2}}} and
        the other arrivals that it names. `budget_seconds` is a hard end; without it the server's
        own budget holds, with what the model takes to start added to it. `soak_seconds` of load
        follow at the answer, beside the budget; `when_quiet` waits until other work leaves the host
        quiet.
        `accelerator="gpu"` gives each container `accelerator_count` GPUs (1) of the server's machine.
        """
        return create_profile(
            workspace,
            profile_name,
            [model.id for model in models],
            inference_config,
            input_dataset,
            ceiling=(cpu or None, memory_in_gb or None),
            description=description,
            objective=objective,
            budget_seconds=budget_seconds,
            seed=seed,
            soak_seconds=soak_seconds,
            when_quiet=when_quiet,
            accelerator=accelerator_of(accelerator, accelerator_count),
        )

    @staticmethod
    def compare(
        workspace: "Workspace",
        name: str,
        models: "Sequence[Model]",
        inference_config: Optional[InferenceConfig],
        input_dataset: TabularDataset,
        variants: Sequence[Variant],
        cpu: Optional[float] = None,
        memory_in_gb: Optional[float] = None,
        *,
        objective: Optional[Objective] = None,
        budget_seconds: Optional[int] = None,
        seed: Optional[int] = None,
        prices: Optional[Mapping[str, float]] = None,
        rank_by: Optional[str] = None,
        accelerator: Optional[str] = None,
        accelerator_count: Optional[int] = None,
    ) -> Comparison:
        """Queues a profile for each variant, to be ranked by cost.

        A variant has a `name` and what is different in it: `environmentVariables`, `image`,
        `command`, `args`, `inferenceConfig`, `objective`. `budget_seconds` is that of all of them.
        `prices` are {"perCoreHour": …, "perGibHour": …}, `rank_by` "millionRequests" or "replica".
        """
        return create_comparison(
            workspace,
            name,
            [model.id for model in models],
            inference_config,
            input_dataset,
            variants,
            ceiling=(cpu or None, memory_in_gb or None),
            more={
                "objective": None if objective is None else dict(objective),
                "budgetSeconds": budget_seconds,
                "seed": seed,
                "prices": None if prices is None else dict(prices),
                "rankBy": rank_by,
                "accelerator": accelerator_of(accelerator, accelerator_count),
            },
        )

    def serialize(self) -> JsonObject:
        """The resource as the server gave it."""
        return dict(self._resource)

    def _route(self) -> str:
        return f"/models/{segment(self.id)}"

    def _change(self, change: Mapping[str, Any]) -> None:
        self._take(self.workspace.connection.patch(self._route(), dict(change)))

    def __repr__(self) -> str:
        return f"Model({self.id!r} in {self.workspace.path!r}, tags={self.tags!r})"

    def _repr_html_(self) -> str:
        return f"<code>{html.escape(repr(self))}</code>"


def _not_found(id: str) -> ModelNotFoundException:
    return ModelNotFoundException(
        f"ModelNotFound: Model with id {id} not found in provided workspace", 404
    )


def _texts(values: Optional[Mapping[str, object]]) -> Dict[str, str]:
    return {str(key): str(value) for key, value in (values or {}).items()}
