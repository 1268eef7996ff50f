"""A script for azureml-core finds every name it imports once its imports say mlprof."""

import unittest

IMPORTS = """
from azureml.core import Dataset, Datastore, Environment, Model, Workspace
from azureml.core.authentication import TokenAuthentication
from azureml.core.conda_dependencies import CondaDependencies
from azureml.core.dataset import Dataset
from azureml.core.datastore import Datastore
from azureml.core.environment import CondaDependencies, Environment
from azureml.core.model import InferenceConfig, Model
from azureml.core.profile import ModelProfile
from azureml.core.resource_configuration import ResourceConfiguration
from azureml.core.workspace import Workspace
from azureml.data import TabularDataset, dataset_type_definitions
from azureml.data.datapath import DataPath
from azureml.data.dataset_factory import TabularDatasetFactory
from azureml.data.dataset_type_definitions import PromoteHeadersBehavior
from azureml.exceptions import AzureMLException, UserErrorException, WebserviceException
"""


class ImportsTest(unittest.TestCase):
    def test_changing_azureml_to_mlprof_is_all(self):
        for line in IMPORTS.strip().splitlines():
            with self.subTest(line):
                names = {}
                exec(line.replace("azureml", "mlprof"), names)
                self.assertTrue(all(value is not None for value in names.values()))

    def test_the_shortest_import_has_the_whole_flow(self):
        import mlprof

        for name in mlprof.__all__:
            self.assertTrue(hasattr(mlprof, name), name)


if __name__ == "__main__":
    unittest.main()
