"""Models: what is uploaded, found, changed and downloaded."""

import io
import os
import tarfile
import unittest
import warnings

from fixture import PackageTest
from mlprof.core import Model
from mlprof.core.resource_configuration import ResourceConfiguration
from mlprof.exceptions import (ModelNotFoundException, UserErrorException, WebserviceException)


def names(tar_bytes):
    with tarfile.open(fileobj=io.BytesIO(tar_bytes)) as tar:
        return tar.getnames()


def tar_of(*entries):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, kind in entries:
            entry = tarfile.TarInfo(name)
            entry.type = kind
            entry.linkname = "/etc/passwd" if kind == tarfile.SYMTYPE else ""
            entry.size = 3 if kind == tarfile.REGTYPE else 0
            tar.addfile(entry, io.BytesIO(b"new"))
    return out.getvalue()


class RegisterTest(PackageTest):
    def test_a_file_lies_at_the_root_of_the_tar(self):
        self.write("dir/model.bin", "weights")
        model = Model.register(self.workspace, "dir/model.bin", "m", tags={"a": 1.5},
                               properties={"p": True}, description="mine")
        self.assertEqual((model.id, model.name, model.version), ("m:1", "m", 1))
        self.assertEqual((model.tags, model.properties), ({"a": "1.5"}, {"p": "True"}))
        self.assertEqual(model.description, "mine")
        self.assertEqual(names(self.server.contents["m:1"]), ["model.bin"])

    def test_a_folder_lies_under_its_name_without_caches(self):
        for name in ("mdir/a.txt", "mdir/sub/b.txt", "mdir/__pycache__/c.pyc", "mdir/.git/x"):
            self.write(name)
        Model.register(self.workspace, "mdir/", "m")
        self.assertEqual(names(self.server.contents["m:1"]),
                         ["mdir", "mdir/a.txt", "mdir/sub", "mdir/sub/b.txt"])

    def test_child_paths_take_some_files_of_a_folder(self):
        self.write("mdir/a.txt")
        self.write("mdir/sub/b.txt")
        Model.register(self.workspace, "mdir", "m", child_paths=["sub/b.txt"])
        self.assertEqual(names(self.server.contents["m:1"]), ["mdir/sub/b.txt"])
        with self.assertRaisesRegex(UserErrorException, "no mdir/c.txt"):
            Model.register(self.workspace, "mdir", "m", child_paths=["c.txt"])

    def test_the_same_content_makes_the_same_tar(self):
        for number in range(2):
            path = self.write("mdir/a.txt", "same")
            os.utime(path, (number, number))
            Model.register(self.workspace, "mdir", "m")
        self.assertEqual(self.server.contents["m:1"], self.server.contents["m:2"])

    def test_a_path_that_is_not_there_is_refused_before_anything_is_sent(self):
        self.server.requests.clear()
        with self.assertRaisesRegex(UserErrorException, "nothing does not exist"):
            Model.register(self.workspace, "nothing", "m")
        self.assertEqual(self.server.requests, [])

    def test_a_link_to_a_folder_is_refused(self):
        self.write("mdir/a.txt")
        os.symlink("/", self.folder / "mdir/root")
        with self.assertRaisesRegex(UserErrorException, "links to folders"):
            Model.register(self.workspace, "mdir", "m")

    def test_facts_that_have_no_field_are_properties_the_azure_routes_know(self):
        self.write("a")
        model = Model.register(self.workspace, "a", "m", properties={"p": 1},
                               model_framework="ScikitLearn", model_framework_version="1.5",
                               resource_configuration=ResourceConfiguration(1, 0.5))
        self.assertEqual(self.server.models[0]["properties"], {
            "p": "1", "azureml.framework": "ScikitLearn", "azureml.frameworkVersion": "1.5",
            "azureml.cpu": "1", "azureml.memoryInGB": "0.5"})
        self.assertEqual(model.properties, {"p": "1"})
        self.assertEqual((model.model_framework, model.model_framework_version),
                         ("ScikitLearn", "1.5"))
        self.assertEqual(model.resource_configuration.memory_in_gb, 0.5)
        self.assertEqual(len(Model.list(self.workspace, model_framework="ScikitLearn")), 1)
        self.assertEqual(Model.list(self.workspace, model_framework="Onnx"), [])

    def test_what_is_not_kept_is_said(self):
        self.write("a")
        with self.assertWarnsRegex(UserWarning, "no list of a model's datasets"):
            Model.register(self.workspace, "a", "m", datasets=[("training", object())])


class FindTest(PackageTest):
    def setUp(self):
        super().setUp()
        self.write("a")
        for name, tags in (("m", {"k": "1"}), ("m", {"k": "2"}), ("n", {"k": "2", "l": ""})):
            Model.register(self.workspace, "a", name, tags=tags)

    def ids(self, **filters):
        return [model.id for model in Model.list(self.workspace, **filters)]

    def test_a_bare_name_is_its_newest_version(self):
        self.assertEqual(Model(self.workspace, "m").id, "m:2")
        self.assertEqual(Model(self.workspace, name="m", version=1).id, "m:1")
        self.assertEqual(Model(self.workspace, id="m:1").version, 1)
        self.assertEqual(Model(self.workspace, "m", tags=[["k", "1"]]).id, "m:1")

    def test_an_unknown_one_is_told_as_the_sdk_tells_it(self):
        for arguments in ({"id": "x:9"}, {"name": "x"}, {"name": "m", "tags": ["nothing"]}):
            with self.subTest(arguments), self.assertRaisesRegex(
                    ModelNotFoundException, "ModelNotFound: Model with id"):
                Model(self.workspace, **arguments)

    def test_lists_by_name_tag_property_and_newest(self):
        self.assertEqual(self.ids(), ["n:1", "m:2", "m:1"])
        self.assertEqual(self.ids(name="m"), ["m:2", "m:1"])
        self.assertEqual(self.ids(latest=True), ["n:1", "m:2"])
        self.assertEqual(self.ids(tags=[["k", "2"]]), ["n:1", "m:2"])
        self.assertEqual(self.ids(tags=["k", "l"]), ["n:1"])
        Model(self.workspace, "n").add_properties({"p": 1})
        self.assertEqual(self.ids(properties=[["p", "1"]]), ["n:1"])
        self.assertEqual(self.ids(properties=[["p", "2"]]), [])
        self.assertEqual(sorted(self.workspace.models), ["m", "n"])


class ChangeTest(PackageTest):
    def setUp(self):
        super().setUp()
        self.write("a")
        self.model = Model.register(self.workspace, "a", "m", tags={"old": "1", "kept": "2"})

    def test_tags_and_properties(self):
        self.model.add_tags({"requestedCpu": 0.4})
        self.model.remove_tags(["old"])
        self.model.add_properties({"accuracy": 0.93})
        self.assertEqual(self.model.tags, {"kept": "2", "requestedCpu": "0.4"})
        self.assertEqual(Model(self.workspace, "m").properties, {"accuracy": "0.93"})

    def test_update_puts_its_tags_in_the_place_of_all(self):
        self.model.update(tags={"kept": "3", "new": "4"}, description="better")
        found = Model(self.workspace, "m")
        self.assertEqual(found.tags, {"kept": "3", "new": "4"})
        self.assertEqual(found.description, "better")

    def test_update_of_the_description_leaves_the_tags(self):
        self.model.update(description="better")
        self.assertEqual(self.model.tags, {"old": "1", "kept": "2"})

    def test_delete(self):
        self.model.delete()
        self.assertEqual(Model.list(self.workspace), [])
        with self.assertRaises(WebserviceException):
            self.model.delete()


class DownloadTest(PackageTest):
    def setUp(self):
        super().setUp()
        self.write("mdir/sub/a.txt", "old")
        self.model = Model.register(self.workspace, "mdir", "m")

    def test_gives_the_folder_back(self):
        path = self.model.download("out")
        self.assertEqual(path, os.path.join("out", "mdir"))
        self.assertEqual((self.folder / path / "sub/a.txt").read_text(), "old")

    def test_writes_over_nothing_unless_told(self):
        self.model.download("out")
        with self.assertRaisesRegex(WebserviceException, "exists already"):
            self.model.download("out")
        self.server.contents["m:1"] = tar_of(("mdir/sub/a.txt", tarfile.REGTYPE))
        self.model.download("out", exist_ok=True)
        self.assertEqual((self.folder / "out/mdir/sub/a.txt").read_text(), "new")

    def test_nothing_is_written_outside(self):
        for name, kind in (("../evil", tarfile.REGTYPE), ("/evil", tarfile.REGTYPE),
                           ("a/../../evil", tarfile.REGTYPE), ("link", tarfile.SYMTYPE),
                           ("device", tarfile.CHRTYPE)):
            self.server.contents["m:1"] = tar_of(("fine", tarfile.REGTYPE), (name, kind))
            with self.subTest(name), self.assertRaises(WebserviceException):
                self.model.download("out")
            self.assertFalse((self.folder / "out").exists())

    def test_a_link_that_is_there_already_leads_nowhere(self):
        (self.folder / "out/mdir").mkdir(parents=True)
        os.symlink(self.folder, self.folder / "out/mdir/sub")
        with self.assertRaisesRegex(WebserviceException, "leads out of"):
            self.model.download("out", exist_ok=True)
        self.assertFalse((self.folder / "a.txt").exists())

    def test_what_is_no_tar_is_told(self):
        self.server.contents["m:1"] = b"no tar"
        with self.assertRaisesRegex(WebserviceException, "no tar"):
            self.model.download("out")


if __name__ == "__main__":
    warnings.simplefilter("error")
    unittest.main()
