"""A first row that looks like a header: kept, and told by the dataset and by every profile of it."""

import io
import tarfile
import unittest

from server import Server

IMAGE = {"image": "sentiment-server:1", "writablePaths": ["/data"]}
CSV = 'text\n"{""data"": 1}"\n"{""data"": 2}"\n'


class HeaderRowsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()

    @classmethod
    def tearDownClass(cls):
        assert cls.server.stop() == 0

    def ask(self, status, method, target, body=None, headers=None):
        response = self.server.ask(method, target, body, headers)
        self.assertEqual(response.status, status, response.body[:2000])
        return response.json

    def register(self, name, kind):
        return self.ask(201, "POST", f"/datasets?name={name}", CSV, {"Content-Type": kind})

    def test_is_kept_and_told(self):
        made = self.register("unsaid", "text/csv")
        self.assertEqual(made["rowCount"], 3)
        self.assertEqual([w["code"] for w in made["warnings"]], ["looksLikeHeader"])
        self.assertIn('"text"', made["warnings"][0]["message"])
        self.assertEqual(self.ask(200, "GET", "/datasets/unsaid"), made)
        self.assertEqual(self.ask(200, "GET", "/datasets?name=unsaid")["value"], [made])
        profile = self.ask(202, "POST", "/profiles", {
            "name": "unsaid", "modelIds": [self.model()], "inputDatasetId": "unsaid",
            "inferenceConfig": IMAGE, "budgetSeconds": 10})
        self.assertIn(made["warnings"][0], profile["warnings"])

    def test_is_neither_where_the_type_says_which_it_is(self):
        present = self.register("present", "text/csv;header=present")
        self.assertEqual((present["rowCount"], present["warnings"]), (2, []))
        absent = self.register("absent", "text/csv;header=absent")
        self.assertEqual((absent["rowCount"], absent["warnings"]), (3, []))

    def model(self):
        content = io.BytesIO()
        with tarfile.open(fileobj=content, mode="w") as archive:
            archive.addfile(tarfile.TarInfo("weights"))
        return self.ask(201, "POST", "/models?name=m", content.getvalue(),
                        {"Content-Type": "application/x-tar"})["id"]


if __name__ == "__main__":
    unittest.main()
