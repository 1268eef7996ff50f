"""Asking for a profile, or for a comparison of several variants of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Tuple

from mlprof.core.comparison import Comparison
from mlprof.core.inference_config import InferenceConfig
from mlprof.core.profile import ModelProfile
from mlprof.data.tabular_dataset import TabularDataset
from mlprof.exceptions import UserErrorException

if TYPE_CHECKING:
    from mlprof.core.workspace import Workspace

Objective = Mapping[str, Any]
Variant = Mapping[str, Any]  # {"name": …, "environmentVariables": {…}, …}
Ceiling = Tuple[Optional[float], Optional[float]]  # cores, GiB


def accelerator_of(kind: Optional[str], count: Optional[int]) -> Optional[Dict[str, Any]]:
    """As the REST interface has it; None where none is asked for."""
    if kind is None or kind == "none":
        if count:
            raise UserErrorException('accelerator_count needs accelerator="gpu"')
        return None
    if kind not in ("gpu", "tpu"):
        raise UserErrorException(f'accelerator must be "none", "gpu" or "tpu", not "{kind}"')
    count = 1 if count is None else count
    if count < 1:
        raise UserErrorException("accelerator_count must be at least 1")
    return {"type": kind, "count": count}


def create_profile(
    workspace: "Workspace",
    name: str,
    model_ids: List[str],
    inference_config: Optional[InferenceConfig],
    dataset: TabularDataset,
    ceiling: Ceiling,
    description: Optional[str],
    objective: Optional[Objective],
    budget_seconds: Optional[int],
    seed: Optional[int],
    soak_seconds: Optional[int] = None,
    when_quiet: Optional[bool] = None,
    accelerator: Optional[Dict[str, Any]] = None,
) -> ModelProfile:
    """Sends what is not on the server yet, then the request. The profile may wait in a queue."""
    request = _request(
        workspace,
        name,
        model_ids,
        inference_config,
        dataset,
        ceiling,
        {
            "description": description,
            "objective": None if objective is None else dict(objective),
            "budgetSeconds": budget_seconds,
            "seed": seed,
            "soakSeconds": soak_seconds,
            "whenQuiet": when_quiet,
            "accelerator": accelerator,
        },
    )
    created = workspace.connection.post("/profiles", request)
    return ModelProfile.of_resource(workspace, created, ceiling)


def create_comparison(
    workspace: "Workspace",
    name: str,
    model_ids: List[str],
    inference_config: Optional[InferenceConfig],
    dataset: TabularDataset,
    variants: Sequence[Variant],
    ceiling: Ceiling,
    more: Mapping[str, Any],
) -> Comparison:
    """The same for several variants of it. An `inferenceConfig` of theirs may be an InferenceConfig."""
    request = _request(workspace, name, model_ids, inference_config, dataset, ceiling, more)
    request["variants"] = [_sent(variant, workspace) for variant in variants]
    return Comparison(workspace, workspace.connection.post("/comparisons", request))


def _sent(variant: Variant, workspace: "Workspace") -> Dict[str, Any]:
    sent = dict(variant)
    config = sent.get("inferenceConfig")
    if isinstance(config, InferenceConfig):
        sent["inferenceConfig"] = config.upload(workspace.connection)
    return sent


def _request(
    workspace: "Workspace",
    name: str,
    model_ids: List[str],
    inference_config: Optional[InferenceConfig],
    dataset: TabularDataset,
    ceiling: Ceiling,
    more: Mapping[str, Any],
) -> Dict[str, Any]:
    if not name:
        raise UserErrorException("profile_name: a profile needs a name")
    if not model_ids:
        raise UserErrorException("models: a profile needs at least one model")
    if not isinstance(dataset, TabularDataset):
        raise UserErrorException("input_dataset: must be a dataset made by Dataset.Tabular")
    cpu, memory = ceiling
    if (cpu is not None and cpu < 0.1) or (memory is not None and memory < 0.03125):
        raise UserErrorException("cpu must be at least 0.1 cores, memory_in_gb at least 0.03125")
    connection = workspace.connection
    registered = dataset.registered_in(workspace)
    request: Dict[str, Any] = {
        "name": name,
        "modelIds": model_ids,
        "inputDatasetId": registered.id,
        "inferenceConfig": inference_config.upload(connection) if inference_config else None,
        "containerResourceRequirements": {"cpu": cpu, "memoryInGb": memory},
        **more,
    }
    return {key: value for key, value in request.items() if value is not None}
