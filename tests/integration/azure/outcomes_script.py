"""Profiles that do not end well, or are asked for with everything there is.

It runs in a folder with config.json, weights.json and src/. A profile named "cancelled" waits to
be cancelled by someone else.
"""

import json
import pathlib
import sys
import warnings

from azureml.core import Dataset, Datastore, Environment, Workspace
from azureml.core.conda_dependencies import CondaDependencies
from azureml.core.model import InferenceConfig, Model
from azureml.core.profile import ModelProfile
from azureml.exceptions import UserErrorException

ws = Workspace.from_config()
environment = Environment("outcomes")
environment.python.conda_dependencies = CondaDependencies.create(pip_packages=["azureml-defaults"])
model = Model.register(ws, "weights.json", "one")
other = Model.register(ws, "weights.json", "two")
store = Datastore.get_default(ws)


def dataset(name, text, separator="\n"):
    pathlib.Path(name).write_text(text)
    store.upload_files([name], target_path="outcomes", show_progress=False)
    return Dataset.Tabular.from_delimited_files(
        [(store, "outcomes/" + name)], separator=separator, header=False, infer_column_types=False)


def in_folder(script):
    return InferenceConfig(entry_script=script, source_directory="src", environment=environment)


def profile(name, config, rows, models=(model,), **more):
    made = Model.profile(ws, name, list(models), config, input_dataset=rows, **more)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made.wait_for_completion(False)
    again = ModelProfile(ws, name)
    return {"details": made.get_details(), "same": again.state == made.state,
            "modelIds": again.model_ids, "warned": [str(w.message) for w in caught]}


def refusal(call):
    try:
        call()
    except UserErrorException as error:
        return str(error)
    return "not refused"


numbers = "".join(json.dumps({"data": [[i, i + 1]]}) + "\n" for i in range(20))
texts = "".join(f"row {i}\n" for i in range(20))
result = {}
for wanted in sys.argv[1:]:
    if wanted == "initRaises":
        result[wanted] = profile("init-raises", in_folder("raises.py"), dataset("texts.txt", texts))
    if wanted == "bare":
        result[wanted] = profile("bare", InferenceConfig(entry_script="src/raises.py"),
                                 dataset("texts.txt", texts))
    if wanted == "rowFails":
        result[wanted] = profile(
            "row-fails", in_folder("odd.py"), dataset("bad.txt", texts + "bad\n"))
    if wanted == "everything":
        rows = dataset("numbers.txt", numbers).register(ws, "numbers")
        result[wanted] = profile("everything", in_folder("score.py"), rows, [model, other],
                                 cpu=1.0, memory_in_gb=0.5, description="all of it")
    if wanted == "cancelled":
        result[wanted] = profile("cancelled", in_folder("endless.py"), dataset("texts.txt", texts))
    if wanted == "timedOut":
        result[wanted] = profile("timed-out", in_folder("endless.py"), dataset("texts.txt", texts))
    if wanted == "refused":
        two_columns = refusal(lambda: profile(
            "two-columns", in_folder("odd.py"), dataset("two.csv", "a,b\nc,d\n", separator=",")))
        result[wanted] = {"twoColumns": two_columns}
print("RESULT " + json.dumps(result, default=str))
