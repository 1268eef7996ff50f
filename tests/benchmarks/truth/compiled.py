"""A real model behind a server that is compiled: a program of Go in an image of its own."""

import json
import os
import shutil
import subprocess

import place
import sources

MAKE_IMAGE = place.ROOT / "tests/targets/make-image"


class Folder(place.Folder):
    """model/, rows.jsonl, the program `server` and inferenceConfig.json."""

    @property
    def image(self):
        return f"mlprof-test/truth-{self.target.model.replace('_', '-')}:1"

    def _make_real(self, venv):
        scripts = place.HERE / "models" / self.target.model
        made_of = f"{sources.digest(sources.of_model(self.target.model))} {self.target.size}"
        if not self.made_of.exists() or self.made_of.read_text(encoding="ascii") != made_of:
            shutil.rmtree(self.model)
            self.model.mkdir()
            subprocess.run([venv(), "-B", scripts / "make.py", self.target.size, self.model,
                            self.rows], check=True)
            self._compile(scripts / "server.go")
            self.made_of.write_text(made_of, encoding="ascii")
        self._make_image()
        self.config.write_text(json.dumps({
            "image": self.image, "port": 8080, "scoringPath": "/",
            "contentType": "application/json", "modelMountPath": place.MODELS,
            "environmentVariables": dict(self.target.environment)}), encoding="ascii")

    def _compile(self, source):
        if shutil.which("go") is None:
            raise SystemExit(f"truth: {self.target.name} needs the Debian package golang-go")
        # The build's cache lies beside the results: HOME may not be set where this runs.
        environment = {"PATH": os.environ["PATH"], "CGO_ENABLED": "0", "GO111MODULE": "off",
                       "GOCACHE": str(self.root.parent.parent / "go-cache")}
        subprocess.run(["go", "build", "-trimpath", "-o", self.root / "server", source],
                       env=environment, check=True)

    def _make_image(self):
        subprocess.run([MAKE_IMAGE, self.image, self.root / "server"], stdout=subprocess.DEVNULL,
                       check=True)

    def _real_place(self, image):
        return place.Place(
            image=self.image, command=["/server"],
            environment={"AZUREML_MODEL_DIR": place.MODELS, **dict(self.target.environment)},
            mounts=[(self.model, place.MODELS, True)], rows_file=self.rows, port=8080, path="/",
            content_type="application/json",
            cold_folders=[self.model, *place.layers_of(self.image)])
