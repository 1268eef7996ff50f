"""When the files of a real model are made anew."""

import json
import tempfile
import unittest
from unittest import mock

import compiled
import place
import sources
import targets


class FolderTest(unittest.TestCase):
    TARGET = targets.Target("t", "t", model="sklearn_text", size="10")

    def makes(self, results):
        folder = place.Folder(results, self.TARGET)
        with mock.patch.object(place.subprocess, "run") as run:
            folder.make(lambda: "python")
        return run.call_count

    def test_a_real_model_is_made_again_once_its_sources_change(self):
        with tempfile.TemporaryDirectory() as results:
            self.assertEqual([self.makes(results), self.makes(results)], [1, 0])
            with mock.patch.object(sources, "digest", return_value="other"):
                self.assertEqual([self.makes(results), self.makes(results)], [1, 0])


class CompiledFolderTest(unittest.TestCase):
    TARGET = targets.Target("t", "t", model="go_trees", size="10")

    def test_a_program_is_compiled_once_and_put_into_an_image_each_time(self):
        with tempfile.TemporaryDirectory() as results:
            folder = compiled.Folder(results, self.TARGET)
            commands = []
            with mock.patch.object(compiled.subprocess, "run",
                                   lambda command, **_: commands.append(str(command[0]))), \
                    mock.patch.object(compiled.shutil, "which", return_value="go"):
                folder.make(lambda: "python")
                folder.make(lambda: "python")
            image = str(compiled.MAKE_IMAGE)
            self.assertEqual(commands, ["python", "go", image, image])
            config = json.loads(folder.config.read_text(encoding="ascii"))
            self.assertEqual(config["image"], "mlprof-test/truth-go-trees:1")


if __name__ == "__main__":
    unittest.main()
