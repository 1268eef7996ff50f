"""The document by itself: whole, valid, and every example true to its schema."""

import unittest

import jsonschema

from document import Document


class DocumentTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.document = Document()

    def objects(self):
        """Every object of the document with its place."""
        return self.nodes(self.document.tree, "#")

    def nodes(self, node, where):
        if isinstance(node, dict):
            yield where, node
            for key, value in node.items():
                yield from self.nodes(value, f"{where}/{key}")
        elif isinstance(node, list):
            for index, value in enumerate(node):
                yield from self.nodes(value, f"{where}/{index}")

    def test_every_reference_names_something(self):
        for where, node in self.objects():
            if isinstance(node.get("$ref"), str):
                with self.subTest(where=where):
                    self.document.at(node["$ref"])

    def test_every_component_is_used(self):
        used = {node["$ref"] for _, node in self.objects() if isinstance(node.get("$ref"), str)}
        used |= {f"#/components/securitySchemes/{name}"
                 for choice in self.document.tree["security"] for name in choice}
        for kind, members in self.document.tree["components"].items():
            for name in members:
                with self.subTest(kind=kind, name=name):
                    self.assertIn(f"#/components/{kind}/{name}", used)

    def test_every_schema_is_json_schema(self):
        for name, schema in self.document.tree["components"]["schemas"].items():
            with self.subTest(name=name):
                jsonschema.Draft202012Validator.check_schema(schema)

    def test_every_example_is_true_to_its_schema(self):
        count = 0
        for where, node in self.objects():
            if "schema" not in node:
                continue
            examples = [example["value"] for example in node.get("examples", {}).values()]
            examples += [node["example"]] if "example" in node else []
            for example in examples:
                count += 1
                with self.subTest(where=where):
                    self.assertEqual(self.document.problems(example, node["schema"]), [])
        self.assertGreater(count, 50)

    def test_every_json_body_has_an_example(self):
        for where, node in self.objects():
            media = node.get("content", {})
            for kind in ("application/json", "application/problem+json"):
                if kind in media:
                    with self.subTest(where=where):
                        self.assertTrue("example" in media[kind] or "examples" in media[kind])

    def test_every_operation_has_its_own_id_and_a_summary(self):
        seen = set()
        for key, operation in self.document.operations().items():
            with self.subTest(operation=key):
                self.assertTrue(operation["summary"])
                self.assertNotIn(operation["operationId"], seen)
                seen.add(operation["operationId"])

    def test_every_operation_documents_that_a_bad_request_is_refused(self):
        # A missing Host, a body where none belongs, an unknown parameter: any of them can get it.
        for key, operation in self.document.operations().items():
            with self.subTest(operation=key):
                self.assertIn("400", operation["responses"])

    def test_every_path_parameter_is_described(self):
        for method, path in self.document.operations():
            described = {
                parameter["name"]
                for parameter in self.document.parameters(method, path)
                if parameter["in"] == "path"
            }
            named = {part[1:-1] for part in path.split("/") if part.startswith("{")}
            with self.subTest(method=method, path=path):
                self.assertEqual(described, named)


if __name__ == "__main__":
    unittest.main()
