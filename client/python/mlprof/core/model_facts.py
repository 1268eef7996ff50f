"""What azureml-core keeps with a model and mlprof has no field for: properties `azureml.…`; pure.

The Azure ML routes and `mlprof ml` write and read the same properties.
"""

from __future__ import annotations

from typing import Callable, Dict, Mapping, Optional, TypeVar

from mlprof.core.resource_configuration import ResourceConfiguration
from mlprof.data.tabular_dataset import TabularDataset

PREFIX = "azureml."
FRAMEWORK = PREFIX + "framework"
FRAMEWORK_VERSION = PREFIX + "frameworkVersion"
CPU = PREFIX + "cpu"
MEMORY = PREFIX + "memoryInGB"
GPU = PREFIX + "gpu"
SAMPLE_INPUT = PREFIX + "sampleInputDatasetId"
SAMPLE_OUTPUT = PREFIX + "sampleOutputDatasetId"

Value = TypeVar("Value", int, float)


def fact_properties(
    framework: Optional[str] = None,
    framework_version: Optional[str] = None,
    resources: Optional[ResourceConfiguration] = None,
    sample_input: Optional[TabularDataset] = None,
    sample_output: Optional[TabularDataset] = None,
) -> Dict[str, str]:
    """The properties that say what is given."""
    facts: Dict[str, object] = {
        FRAMEWORK: framework,
        FRAMEWORK_VERSION: framework_version,
        CPU: resources.cpu if resources else None,
        MEMORY: resources.memory_in_gb if resources else None,
        GPU: resources.gpu if resources else None,
        SAMPLE_INPUT: sample_input.id if sample_input else None,
        SAMPLE_OUTPUT: sample_output.id if sample_output else None,
    }
    return {key: str(value) for key, value in facts.items() if value is not None}


def without_facts(properties: Mapping[str, str]) -> Dict[str, str]:
    return {key: value for key, value in properties.items() if not key.startswith(PREFIX)}


def resources_in(properties: Mapping[str, str]) -> Optional[ResourceConfiguration]:
    """None where nothing is said."""
    found = ResourceConfiguration(
        _number(properties, CPU, float), _number(properties, MEMORY, float),
        _number(properties, GPU, int),
    )  # fmt: skip
    return found if any(value is not None for value in vars(found).values()) else None


def _number(
    properties: Mapping[str, str], key: str, kind: Callable[[str], Value]
) -> Optional[Value]:
    try:
        return kind(properties[key]) if key in properties else None
    except ValueError:
        return None
