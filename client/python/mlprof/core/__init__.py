"""The classes of the profiling flow, where azureml.core has them."""

from mlprof.core.comparison import Comparison
from mlprof.core.conda_dependencies import CondaDependencies
from mlprof.core.dataset import Dataset
from mlprof.core.datastore import Datastore
from mlprof.core.environment import Environment
from mlprof.core.model import InferenceConfig, Model
from mlprof.core.profile import ModelProfile
from mlprof.core.workspace import Workspace

__all__ = [
    "Comparison",
    "CondaDependencies",
    "Dataset",
    "Datastore",
    "Environment",
    "InferenceConfig",
    "Model",
    "ModelProfile",
    "Workspace",
]
