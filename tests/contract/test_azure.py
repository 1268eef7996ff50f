"""The routes of Azure ML v1 over HTTP, as azureml-core asks them, through a whole profile."""

import io
import json
import os
import pathlib
import subprocess
import tarfile
import tempfile
import time
import unittest
import urllib.parse

from server import Server

BIN = pathlib.Path(os.environ["MLPROF_BIN"])
WORKSPACE = ("/subscriptions/s/resourceGroups/g/providers/Microsoft.MachineLearningServices"
             "/workspaces/w")
PATCH = {"Content-Type": "application/json-patch+json; charset=utf-8"}
YAML = """type: mltable
paths:
  - pattern: "azureml://subscriptions/s/resourcegroups/g/workspaces/w/datastores/workspaceblobstore/paths/data/x.txt"
transformations:
  - read_delimited:
      encoding: utf8
      support_multi_line: false
      delimiter: "\\n"
      header: no_header
"""


def archive(**files):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for name, text in files.items():
            info = tarfile.TarInfo(name.replace("__", "/"))
            info.size = len(text)
            tar.addfile(info, io.BytesIO(text.encode()))
    return buffer.getvalue()


class AzureTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        token = cls.server.raw("POST", "/msi/token", "resource=https%3A%2F%2Fx",
                               {"Metadata": "true",
                                "Content-Type": "application/x-www-form-urlencoded"}).json
        cls.token = {"Authorization": "Bearer " + token["access_token"]}

    @classmethod
    def tearDownClass(cls):
        assert cls.server.stop() == 0

    def ask(self, status, method, target, body=None, headers=None):
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
        response = self.server.raw(method, target, body, {**self.token, **(headers or {})})
        self.assertEqual(response.status, status, response.body[:2000])
        return response

    def blob(self, status, method, address, body=None, headers=None):
        """Blob requests bring nothing but the address."""
        parts = urllib.parse.urlsplit(address)
        response = self.server.raw(method, f"{parts.path}?{parts.query}", body, headers)
        self.assertEqual(response.status, status, response.body[:2000])
        return response

    def put_in_datastore(self, path, text):
        store = self.ask(200, "GET", f"/datastore/v1.0{WORKSPACE}/default").json
        section = store["azureStorageSection"]
        address = f"https://x/{section['containerName']}/{path}{section['sasToken']}"
        self.blob(201, "PUT", address, text, {"x-ms-blob-type": "BlockBlob"})
        return address

    def put_artifact(self, container, path, data):
        made = self.ask(200, "POST", f"/artifact/v2.0{WORKSPACE}/artifacts/batch/metadata/"
                        f"LocalUpload/{container}", {"paths": [{"path": path}]}, PATCH).json
        address = made["artifactContentInformation"][path]["contentUri"]
        self.blob(201, "PUT", address, data,
                  {"x-ms-blob-type": "BlockBlob", "If-None-Match": "*"})
        head = self.blob(200, "HEAD", address)
        self.assertEqual(head.headers["Content-Length"], str(len(data)))
        return made["artifacts"][path]["artifactId"]

    def register_dataset(self, name):
        text = "\n".join(json.dumps({"data": [row]}) for row in range(20))
        self.put_in_datastore("data/x.txt", text)
        body = {"name": name, "isVisible": True, "datasetType": "tabular",
                "latest": {"properties": {}, "dataflow": json.dumps(
                    {"blocks": [], "meta": {"RsDataflow": YAML}})}}
        query = "registerAsPending=false&ifExistsOk=true&updateDefinitionIfExists=true"
        return self.ask(200, "POST", f"/dataset/v1.0{WORKSPACE}/datasets?{query}", body, PATCH).json

    def register_model(self, name):
        prefix = self.put_artifact(f"{name}-1", "model.json", b"{}")
        asset = self.ask(200, "POST", f"/modelmanagement/v1.0{WORKSPACE}/assets",
                         {"name": name, "artifacts": [{"prefix": prefix}]}).json
        return self.ask(200, "POST", f"/modelmanagement/v1.0{WORKSPACE}/models",
                        {"name": name, "url": "aml://asset/" + asset["id"], "unpack": False,
                         "datasets": [], "kvTags": {"area": "digits"}}).json

    def profile_body(self, name, model, dataset):
        driver = self.put_artifact(f"{name}-driver", "tmpdriver.py", b"pass")
        source = self.put_artifact(f"{name}-source", "a.tar.gz", archive(src__score_py="pass"))
        return {"name": name, "description": None,
                "inputDatasetId": dataset["latest"]["savedDatasetId"],
                "environmentImageRequest": {
                    "driverProgram": "tmpdriver.py",
                    "assets": [{"id": "tmpdriver.py", "url": "aml://artifact/" + driver},
                               {"id": "a.tar.gz", "url": "aml://artifact/" + source,
                                "unpack": True}],
                    "modelIds": [model["id"]],
                    "environment": {"name": "e", "environmentVariables": {
                        "AZUREML_SOURCE_DIRECTORY": "src",
                        "AZUREML_ENTRY_SCRIPT": "src/score_py"}}}}

    def wait(self, operation):
        target = f"/modelmanagement/v1.0{WORKSPACE}/operations/" + operation.rsplit("/", 1)[1]
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            response = self.ask(200, "GET", target).json
            if response["state"] not in ("NotStarted", "Running"):
                return response
            time.sleep(0.2)
        self.fail("the profile did not end")

    def test_a_whole_profile(self):
        dataset = self.register_dataset("requests")
        model = self.register_model("whole")
        body = self.profile_body("whole", model, dataset)
        made = self.ask(202, "POST", f"/modelmanagement/v1.0{WORKSPACE}/profiles", body)
        operation = self.wait(made.headers["Operation-Location"])
        target = f"/modelmanagement/v1.0{WORKSPACE}/profiles?name=whole&orderBy=CreatedAtDesc&count=1"
        profile = self.ask(200, "GET", target).json["value"][0]
        self.assertEqual(operation["state"], "Succeeded", profile["error"])
        self.assertEqual(profile["state"], "Succeeded")
        self.assertGreater(profile["recommendedCpu"], 0)
        self.assertEqual(profile["containerResourceRequirements"],
                         {"cpu": profile["recommendedCpu"],
                          "memoryInGB": profile["recommendedMemoryInGB"]})
        self.assertEqual(profile["successRate"], 100.0)
        native = self.ask(200, "GET", "/profiles/whole?workspace=s/g/w").json
        self.assertEqual(native["recommendation"]["requestedCpu"], profile["recommendedCpu"])
        self.assertEqual(native["modelIds"], ["whole:1"])
        self.assertEqual(native["inputDatasetId"], "requests:1")

    def mlprof(self, status, *arguments):
        with tempfile.TemporaryDirectory() as home:
            config = pathlib.Path(home, "config.json")
            config.write_text('{"image": "i"}', encoding="utf-8")
            done = subprocess.run(
                [BIN / "mlprof", *arguments, "--ic", config], text=True, timeout=60, check=False,
                env={"HOME": home, "MLPROF_SERVER": f"http://127.0.0.1:{self.server.port}/"},
                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, status, done.stderr)
        return json.loads(done.stdout)

    def test_the_command_line_prints_the_servers_profile(self):
        self.register_dataset("for-az")
        self.register_model("for-az")
        printed = self.mlprof(0, "ml", "model", "profile", "--subscription-id", "s", "-g", "g",
                              "-w", "w", "-n", "az", "-m", "for-az:1", "--idi", "for-az",
                              "--cc", "1000")
        self.assertEqual(printed,
                         self.ask(200, "GET", "/profiles/az/azure?workspace=s/g/w").json)
        self.assertEqual((printed["state"], printed["requestedCpu"]), ("Succeeded", 1000.0))

    def test_blobs_over_the_wire(self):
        address = self.put_in_datastore("b/x.bin", "0123456789")
        self.assertEqual(self.blob(200, "GET", address).body, b"0123456789")
        part = self.blob(206, "GET", address, headers={"range": "bytes=3-5"})
        self.assertEqual((part.body, part.headers["Content-Range"]), (b"345", "bytes 3-5/10"))
        head = self.blob(200, "HEAD", address)
        self.assertEqual((head.body, head.headers["Content-Length"]), (b"", "10"))
        missing = self.blob(404, "HEAD", address.replace("x.bin", "none"))
        self.assertEqual(missing.headers["x-ms-error-code"], "BlobNotFound")
        self.blob(403, "GET", address[:-1])
        listed = self.blob(200, "GET", address.replace("/b/x.bin", "")
                           + "&restype=container&comp=list&prefix=b%2F")
        self.assertIn(b"<Name>b/x.bin</Name>", listed.body)

    def test_refusals_have_both_shapes(self):
        for status, method, target, body in [
                (404, "GET", f"/modelmanagement/v1.0{WORKSPACE}/models/none%3A1", None),
                (400, "POST", f"/modelmanagement/v1.0{WORKSPACE}/models", "{"),
                (405, "DELETE", f"/modelmanagement/v1.0{WORKSPACE}/models", None),
                (404, "GET", f"/dataset/v1.0{WORKSPACE}/datasets/query/name=none", None)]:
            with self.subTest(target=target):
                response = self.ask(status, method, target, body).json
                self.assertEqual(response["statusCode"], status)
                self.assertEqual(response["error"]["message"], response["message"])
        self.assertEqual(self.server.raw("GET", "/subscriptions", None,
                                         {"Authorization": "Bearer x"}).status, 401)


if __name__ == "__main__":
    unittest.main()
