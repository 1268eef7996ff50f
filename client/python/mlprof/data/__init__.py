"""Datasets and how they are read from files, where azureml.data has them."""

from mlprof.data import dataset_type_definitions
from mlprof.data.data_type import DataType
from mlprof.data.datapath import DataPath
from mlprof.data.tabular_dataset import TabularDataset

__all__ = ["DataPath", "DataType", "TabularDataset", "dataset_type_definitions"]
