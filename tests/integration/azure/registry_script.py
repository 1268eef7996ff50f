"""Models and datasets without profiling: registered, found, changed, fetched, deleted, refused.

It runs in a folder with config.json, weights.json and big.bin.
"""

import hashlib
import json
import pathlib

from azureml.core import Datastore, Workspace
from azureml.core.dataset import Dataset
from azureml.core.model import Model
from azureml.exceptions import UserErrorException, WebserviceException

ws = Workspace.from_config()
result = {}


def sha256(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


def refusal(kind, call):
    """What `call` is refused with."""
    try:
        call()
    except kind as error:
        return str(error)
    return "not refused"


# --- models ---

folder = pathlib.Path("parts")
(folder / "deep").mkdir(parents=True)
(folder / "a.txt").write_text("a")
(folder / "deep" / "b.txt").write_text("b")
first = Model.register(ws, "parts", "parts", tags={"stage": "test", "number": 1.5},
                       properties={"origin": "script"}, description="two files")
second = Model.register(ws, "parts", "parts", tags={"stage": "done"})
result["versions"] = [first.version, second.version]
result["newest"] = Model(ws, name="parts").id
result["byVersion"] = Model(ws, name="parts", version=first.version).id
result["byTag"] = [m.id for m in Model.list(ws, tags=[["stage", "test"]])]
result["byKey"] = sorted(m.id for m in Model.list(ws, tags=["stage"]))
result["byName"] = sorted(m.id for m in Model.list(ws, name="parts"))

first.add_tags({"more": "yes"})
first.remove_tags(["number"])
first.add_properties({"accuracy": 0.93})
result["changed"] = [Model(ws, id=first.id).tags, Model(ws, id=first.id).properties]
first.update(tags={"only": "this"}, description="changed")
result["updated"] = [Model(ws, id=first.id).tags, Model(ws, id=first.id).description]

path = pathlib.Path(first.download(target_dir="downloaded"))
result["downloaded"] = sorted(p.relative_to("downloaded").as_posix()
                              for p in pathlib.Path("downloaded").rglob("*") if p.is_file())
result["content"] = (path / "deep" / "b.txt").read_text()

big = Model.register(ws, "big.bin", "big")
result["bigIsWhole"] = sha256(big.download(target_dir="big")) == sha256("big.bin")

second.delete()
result["deleted"] = refusal(WebserviceException, lambda: Model(ws, id=second.id))
result["unknownModel"] = refusal(WebserviceException, lambda: Model(ws, name="nothing"))

# --- datasets ---

pathlib.Path("rows.txt").write_text("first\nsecond\n")
store = Datastore.get_default(ws)
store.upload_files(["rows.txt"], target_path="rows")
rows = Dataset.Tabular.from_delimited_files(
    [(store, "rows/rows.txt")], separator="\n", header=False, infer_column_types=False)
registered = rows.register(ws, "rows")
result["datasetVersion"] = registered.version
result["datasetById"] = Dataset.get_by_id(ws, registered.id).name
result["taken"] = refusal(UserErrorException, lambda: rows.register(ws, "rows"))
result["unknownDataset"] = refusal(UserErrorException, lambda: Dataset.get_by_name(ws, "nothing"))

print("RESULT " + json.dumps(result))
