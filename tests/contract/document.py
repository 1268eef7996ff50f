"""api/openapi.yaml as tests use it: its operations, and checks of values against its schemas."""

import pathlib

import jsonschema
import yaml

PATH = pathlib.Path(__file__).resolve().parents[2] / "api" / "openapi.yaml"
METHODS = ("get", "put", "post", "patch", "delete", "head", "options")


class Document:
    def __init__(self):
        with open(PATH, encoding="utf-8") as file:
            self.tree = yaml.safe_load(file)

    def at(self, reference):
        """What "#/components/..." names; KeyError where it names nothing."""
        node = self.tree
        for key in reference.removeprefix("#/").split("/"):
            node = node[key]
        return node

    def resolve(self, node):
        """The node itself, or what its $ref names."""
        while "$ref" in node:
            node = self.at(node["$ref"])
        return node

    def operations(self):
        """{(METHOD, path): operation}"""
        return {
            (method.upper(), path): item[method]
            for path, item in self.tree["paths"].items()
            for method in METHODS
            if method in item
        }

    def parameters(self, method, path):
        item = self.tree["paths"][path]
        both = item.get("parameters", []) + item[method.lower()].get("parameters", [])
        return [self.resolve(parameter) for parameter in both]

    def response(self, operation, status):
        """The described response of a status, or the default one, or None."""
        responses = operation["responses"]
        found = responses.get(str(status), responses.get("default"))
        return self.resolve(found) if found else None

    def problems(self, value, schema):
        """What is wrong with a value, as a list of texts."""
        whole = {"components": self.tree["components"], "allOf": [schema]}
        validator = jsonschema.Draft202012Validator(whole)
        return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(value)]
