"""Environments and inference configs: what the server is told of them."""

import io
import tarfile
import unittest

from fixture import PackageTest
from mlprof.core import CondaDependencies, Environment, InferenceConfig, Model, Workspace
from mlprof.exceptions import UserErrorException

CONDA = """# comment
name: env
channels:
  - conda-forge
dependencies:
  - python=3.8.13   # another one
  - "numpy=1.2"
  - pip
  - pip:
    - scikit-learn==1.5.2
    - 'joblib'
"""
SOURCE = "sha256:" + "0" * 64


class CondaTest(PackageTest):
    def test_a_file_is_read_and_written_back(self):
        self.write("env.yml", CONDA)
        read = CondaDependencies("env.yml")
        self.assertEqual(read.pip_packages, ["scikit-learn==1.5.2", "joblib"])
        self.assertEqual(read.conda_packages, ["numpy=1.2"])
        self.assertEqual(read.python_version, "3.8.13")
        self.write("again.yml", read.serialize_to_string())
        again = CondaDependencies("again.yml")
        self.assertEqual(again.serialize_to_string(), read.serialize_to_string())

    def test_packages_are_added_once_and_removed(self):
        made = CondaDependencies.create(pip_packages=["Scikit_Learn==1.0"], python_version="3.9")
        made.add_pip_package("scikit-learn==1.5.2")
        made.add_pip_package("joblib")
        made.remove_pip_package("Joblib")
        made.set_python_version("3.11")
        self.assertEqual(made.pip_packages, ["scikit-learn==1.5.2"])
        self.assertEqual(made.python_version, "3.11")

    def test_what_the_server_could_not_read_is_named_by_its_line(self):
        for text, line in (("dependencies: [a]\n", 1), ("dependencies:\n\t- a\n", 2),
                           ("dependencies:\n  a: b\n", 2)):
            self.write("bad.yml", text)
            with self.subTest(text), self.assertRaisesRegex(UserErrorException, f"line {line}:"):
                CondaDependencies("bad.yml")

    def test_an_index_of_its_own_is_refused(self):
        with self.assertRaisesRegex(UserErrorException, "pip_indexurl"):
            CondaDependencies.create(pip_indexurl="http://index")


class EnvironmentTest(PackageTest):
    def test_registering_is_not_needed_and_looking_up_says_what_to_do(self):
        environment = Environment("e")
        self.assertIs(environment.register(Workspace()), environment)
        with self.assertRaisesRegex(UserErrorException, "from_conda_specification"):
            Environment.get(Workspace(), "e")

    def test_pip_packages_alone_need_no_file(self):
        environment = Environment("e")
        environment.python.conda_dependencies = CondaDependencies.create(pip_packages=["numpy"])
        environment.docker.base_image = "image:1"
        environment.environment_variables = {"A": 1}
        self.assertEqual(environment.to_json(), ({
            "name": "e", "docker": {"baseImage": "image:1"}, "environmentVariables": {"A": "1"},
            "python": {"pipPackages": ["numpy"]}}, {}))

    def test_conda_packages_go_as_a_file_so_that_the_server_says_what_it_leaves_out(self):
        self.write("env.yml", CONDA)
        json, files = Environment.from_conda_specification("e", "env.yml").to_json()
        self.assertEqual(json["python"], {"condaDependenciesFile": ".mlprof/conda.yml"})
        self.assertIn(b"- python=3.8.13\n", files[".mlprof/conda.yml"])

    def test_pip_requirements(self):
        self.write("requirements.txt", "# all\nnumpy==1.26.4  # fast\n\njoblib\n")
        json, _ = Environment.from_pip_requirements("e", "requirements.txt").to_json()
        self.assertEqual(json["python"], {"pipPackages": ["numpy==1.26.4", "joblib"]})

    def test_a_docker_image_with_packages(self):
        self.write("requirements.txt", "numpy\n")
        json, _ = Environment.from_docker_image(
            "e", "image:1", pip_requirements="requirements.txt").to_json()
        self.assertEqual(json["docker"], {"baseImage": "image:1"})
        self.assertEqual(json["python"], {"pipPackages": ["numpy"]})

    def test_packages_the_user_manages_are_not_installed(self):
        environment = Environment("e")
        environment.python.conda_dependencies = CondaDependencies.create(pip_packages=["numpy"])
        environment.python.user_managed_dependencies = True
        self.assertEqual(environment.to_json(), ({"name": "e"}, {}))

    def test_a_dockerfile_is_refused(self):
        environment = Environment("e")
        environment.docker.base_dockerfile = "FROM scratch"
        with self.assertRaisesRegex(UserErrorException, "base_dockerfile"):
            environment.to_json()


class InferenceConfigTest(PackageTest):
    def setUp(self):
        super().setUp()
        self.write("src/score.py", "init")
        self.write("src/lib/more.py", "more")

    def uploaded(self):
        with tarfile.open(fileobj=io.BytesIO(self.server.contents["source"])) as tar:
            return tar.getnames()

    def test_a_source_directory_is_sent_whole(self):
        config = InferenceConfig(entry_script="score.py", source_directory="src")
        self.assertEqual(config.upload(self.workspace.connection), {
            "entryScript": "score.py", "sourceId": SOURCE, "environment": {"name": "default"}})
        self.assertEqual(self.uploaded(), ["lib", "lib/more.py", "score.py"])

    def test_without_one_the_script_is_sent_alone(self):
        config = InferenceConfig(entry_script="src/score.py")
        self.assertEqual(config.upload(self.workspace.connection)["entryScript"], "score.py")
        self.assertEqual(self.uploaded(), ["score.py"])

    def test_a_conda_file_comes_along(self):
        self.write("env.yml", CONDA)
        config = InferenceConfig("score.py", source_directory="src", conda_file="env.yml",
                                 base_image="image:1", request_timeout_seconds=5, profiler_port=6000)
        json = config.upload(self.workspace.connection)
        self.assertIn(".mlprof/conda.yml", self.uploaded())
        self.assertEqual(json["requestTimeoutSeconds"], 5)
        self.assertEqual(json["profilerPort"], 6000)
        self.assertEqual(json["environment"]["docker"], {"baseImage": "image:1"})

    def test_an_image_needs_no_source(self):
        config = InferenceConfig.from_image("image:1", port=80, command=["/server"],
                                            scoring_path="/v1", network="bridge")
        self.server.requests.clear()
        self.assertEqual(config.upload(self.workspace.connection), {
            "image": "image:1", "port": 80, "command": ["/server"], "scoringPath": "/v1",
            "network": "bridge"})
        self.assertEqual(self.server.requests, [])

    def test_a_missing_script_and_what_is_not_here_are_refused_at_once(self):
        with self.assertRaisesRegex(UserErrorException, "no file src/path-to-score.py"):
            InferenceConfig(entry_script="path-to-score.py", source_directory="src")
        with self.assertRaisesRegex(UserErrorException, "no folder nowhere"):
            InferenceConfig(entry_script="score.py", source_directory="nowhere")
        with self.assertRaisesRegex(UserErrorException, "extra_docker_file_steps"):
            InferenceConfig("score.py", source_directory="src", extra_docker_file_steps="RUN x")
        with self.assertRaisesRegex(TypeError, "no parameter shm"):
            InferenceConfig("score.py", source_directory="src", shm=1)

    def test_is_stored_with_a_model(self):
        model = Model.register(self.workspace, "src/score.py", "m")
        model.set_inference_config(InferenceConfig.from_image("image:1"))
        self.assertEqual(self.server.models[0]["inferenceConfig"], {"image": "image:1"})


if __name__ == "__main__":
    unittest.main()
