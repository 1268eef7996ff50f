"""When the files of a real model are made anew."""

import tempfile
import unittest
from unittest import mock

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


if __name__ == "__main__":
    unittest.main()
