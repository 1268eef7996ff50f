"""Where a target lies and how it is served, by a plain container and by mlprof alike."""

import dataclasses
import json
import pathlib
import shutil
import subprocess
import sys

import engine
import sources
from probe import BIN

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
IMAGE = "mlprof-test/truth:1"
MODELS = "/models"
SOURCE = "/source"


@dataclasses.dataclass
class Place:
    """What a plain container of a target needs to know."""
    image: str
    command: list
    environment: dict
    mounts: list  # (host, container, read-only)
    rows_file: pathlib.Path
    port: int
    path: str
    content_type: str
    working_directory: str = "/"
    cold_folders: list = dataclasses.field(default_factory=list)


class Folder:
    """A target's files: model/, rows, source/ and inferenceConfig.json."""

    def __init__(self, results, target):
        self.target = target
        self.root = pathlib.Path(results).resolve() / "targets" / target.name
        self.model = self.root / "model"
        self.rows = self.root / ("rows.jsonl" if target.model else "rows.txt")
        self.config = self.root / "inferenceConfig.json"
        self.made_of = self.root / "made-of"  # what a real model was made of

    def make(self, venv):
        self.model.mkdir(parents=True, exist_ok=True)
        if self.target.model:
            self._make_real(venv)
        else:
            self._make_planted()

    def _make_planted(self):
        target = self.target
        weights = self.model / "weights.bin"
        if not weights.exists() or weights.stat().st_size != max(target.weights_mib, 1) << 20:
            block = bytes(range(256)) * 4096
            with open(weights, "wb") as file:
                for _ in range(max(target.weights_mib, 1)):
                    file.write(block)
        self.rows.write_text("".join(row + "\n" for row in target.rows), encoding="ascii")
        self.config.write_text(json.dumps({
            "image": IMAGE, "args": [str(option) for option in target.options], "port": 8080,
            "scoringPath": "/", "contentType": "text/plain", "modelMountPath": MODELS,
            "environmentVariables": dict(target.environment)}), encoding="ascii")

    def _make_real(self, venv):
        scripts = HERE / "models" / self.target.model
        source = self.root / "source"
        source.mkdir(exist_ok=True)
        shutil.copyfile(scripts / "score.py", source / "score.py")
        made_of = f"{sources.digest(sources.of_model(self.target.model))} {self.target.size}"
        if not self.made_of.exists() or self.made_of.read_text(encoding="ascii") != made_of:
            shutil.rmtree(self.model)
            self.model.mkdir()
            subprocess.run([venv(), "-B", scripts / "make.py", self.target.size, self.model,
                            self.rows], check=True)
            self.made_of.write_text(made_of, encoding="ascii")
        packages = (scripts / "packages.txt").read_text(encoding="ascii").split()
        self.config.write_text(json.dumps({
            "entryScript": "score.py", "sourceDirectory": "./source",
            "environment": {"name": self.target.model, "python": {"pipPackages": packages},
                            "environmentVariables": dict(self.target.environment)}}),
            encoding="ascii")

    def place(self, image=None):
        """`image`: the environment that mlprof made, where the target is an entry script."""
        if self.target.model:
            return self._real_place(image)
        return Place(
            image=IMAGE, command=["/server", *map(str, self.target.options)],
            environment={"AZUREML_MODEL_DIR": MODELS, **dict(self.target.environment)},
            mounts=[(self.model, MODELS, True)], rows_file=self.rows, port=8080, path="/",
            content_type="text/plain", cold_folders=[self.model, *layers_of(IMAGE)])

    def _real_place(self, image):
        """As Azure ML serves an entry script; nothing of mlprof's is in it but the packages."""
        environment = "/opt/mlprof/venv"
        script = f"{SOURCE}/score.py"
        return Place(
            image=image,
            command=[f"{environment}/bin/serve-entry-script", "--entry_script", script,
                     "--port", "5001"],
            environment={
                "PATH": f"{environment}/bin:/usr/local/bin:/usr/bin:/bin", "HOME": "/tmp",
                "VIRTUAL_ENV": environment, "AML_APP_ROOT": SOURCE,
                "AZUREML_ENTRY_SCRIPT": script, "AZUREML_MODEL_DIR": MODELS,
                "PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": "1",
                "GUNICORN_CMD_ARGS": "--worker-tmp-dir /dev/shm", **dict(self.target.environment)},
            mounts=[(self.model, MODELS, True), (self.root / "source", SOURCE, True)],
            working_directory=SOURCE, rows_file=self.rows, port=5001, path="/score",
            content_type="application/json", cold_folders=[self.model, *layers_of(image)])


def layers_of(image):
    """The folders an image's files lie in on this host. A node that runs it for the first time has
    none of them in its page cache, and the container is charged for what it reads of them."""
    data = engine.call("GET", f"/images/{image}/json")["GraphDriver"]["Data"]
    folders = [*data.get("LowerDir", "").split(":"), data.get("UpperDir", "")]
    return [folder for folder in folders if folder]


def make_image():
    """The target server as an image, made anew: it may have been compiled since."""
    subprocess.run(["docker", "rmi", "-f", IMAGE], stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, check=False)
    subprocess.run([ROOT / "tests/targets/make-image", IMAGE, BIN / "target-target-server"],
                   stdout=subprocess.DEVNULL, check=True)


def training_python(results):
    """The Python that trains the real models, with their packages; made when first asked for."""
    folder = pathlib.Path(results).resolve() / "training"
    wanted = (HERE / "models/requirements.txt").read_text(encoding="ascii")
    done = folder / "requirements.txt"
    if not done.exists() or done.read_text(encoding="ascii") != wanted:
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
        subprocess.run([folder / "bin/pip", "install", "--quiet", "-r",
                        HERE / "models/requirements.txt"], check=True)
        done.write_text(wanted, encoding="ascii")
    return folder / "bin/python"


def image_of_profile(instance):
    """The image of any container that a server runs now, or None."""
    for container in engine.call("GET", "/containers/json"):
        if container["Labels"].get("mlprof.instance") == instance and (
                "mlprof.profile" in container["Labels"]):
            return container["ImageID"]
    return None
