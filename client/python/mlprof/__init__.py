"""Profiles a registered model: how many cores and how much memory must it request?

The classes have the names and the methods that azureml-core has for this, so that a script written
for it runs on mlprof once its imports say `mlprof` for `azureml`. They use mlprof's own REST
interface and nothing outside of Python's standard library. The server is found as the command line
finds it: MLPROF_SERVER, or "server" in the config file.
"""

from mlprof.core import (
    Comparison,
    CondaDependencies,
    Dataset,
    Datastore,
    Environment,
    InferenceConfig,
    Model,
    ModelProfile,
    Workspace,
)

__version__ = "0.1.0"

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
    "__version__",
]
