"""A v1 script in the shape of the page "Profile your model to determine resource utilization".

Nothing in it knows mlprof. It runs in a folder with config.json, weights.json and src/.
"""

import json

from azureml.core import Datastore, Environment, Workspace
from azureml.core.conda_dependencies import CondaDependencies
from azureml.core.dataset import Dataset
from azureml.core.model import InferenceConfig, Model
from azureml.data import dataset_type_definitions

ws = Workspace.from_config()

# A file of request bodies, one a line.
dataset_content = []
for i in range(40):
    input_json = {"data": [[1, 2, 3, 4, 5, 6, 7, 8, 9, i], [10, 9, 8, 7, 6, 5, 4, 3, 2, i]]}
    dataset_content.append(json.dumps(input_json))
dataset_content = "\n".join(dataset_content)
file_name = "sample_request_data.txt"
f = open(file_name, "w")
f.write(dataset_content)
f.close()

# The file goes to the datastore, and a dataset is made of it.
data_store = Datastore.get_default(ws)
data_store.upload_files(["./" + file_name], target_path="sample_request_data")
datastore_path = [(data_store, "sample_request_data" + "/" + file_name)]
versions = []
for infer in (False, True):
    sample_request_data = Dataset.Tabular.from_delimited_files(
        datastore_path,
        separator="\n",
        infer_column_types=infer,
        header=dataset_type_definitions.PromoteHeadersBehavior.NO_HEADERS,
    )
    sample_request_data = sample_request_data.register(
        workspace=ws, name="sample_request_data", create_new_version=True
    )
    versions.append(sample_request_data.version)

model = Model.register(
    ws, model_path="weights.json", model_name="weights", tags={"area": "sums"}, description="sums"
)
environment = Environment("sums")
environment.python.conda_dependencies = CondaDependencies.create(pip_packages=["azureml-defaults"])
environment.environment_variables = {"EXAMPLE_ENV_VAR": "EXAMPLE_VALUE"}

model = Model(ws, id=model.id)
inference_config = InferenceConfig(
    entry_script="score.py", source_directory="src", environment=environment
)
input_dataset = Dataset.get_by_name(workspace=ws, name="sample_request_data")
profile = Model.profile(ws, "unique_name", [model], inference_config, input_dataset=input_dataset)

profile.wait_for_completion(True)

# The result is written onto the model.
details = profile.get_details()
model.add_tags(
    {
        "requestedCpu": details["requestedCpu"],
        "requestedMemoryInGb": details["requestedMemoryInGB"],
    }
)

same_dataset = Dataset.get_by_id(ws, id=input_dataset.id)
result = {
    "model": model.id,
    "tags": Model(ws, id=model.id).tags,
    "dataset": input_dataset.id,
    "sameDataset": same_dataset.name,
    "versions": versions,
    "details": details,
    "serialized": profile.serialize(),
}
print("RESULT " + json.dumps(result, default=str))
