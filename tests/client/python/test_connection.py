"""Requests: errors become exceptions, what got no response is sent again but never done twice."""

import io
import unittest

from fake_server import Refusal
from fixture import PackageTest
from mlprof.exceptions import (AuthenticationException, MlprofException,
                               ServerUnreachableException, WebserviceException)


class ConnectionTest(PackageTest):
    def setUp(self):
        super().setUp()
        self.connection = self.workspace.connection
        self.server.requests.clear()

    def test_a_refusal_names_every_bad_field(self):
        self.server.refusals = [Refusal(400, "the request has bad fields",
                                        [{"pointer": "/a", "detail": "is required"},
                                         {"pointer": "/b", "detail": "must be a number"}])]
        with self.assertRaises(WebserviceException) as caught:
            self.connection.get("/version")
        self.assertEqual(caught.exception.status_code, 400)
        self.assertEqual(caught.exception.message, "the request has bad fields\n  /a: is required\n"
                         "  /b: must be a number")

    def test_403_is_about_who_asks(self):
        self.server.refusals = [Refusal(403, "this token may only read")]
        with self.assertRaisesRegex(AuthenticationException, "only read"):
            self.connection.get("/version")

    def test_a_post_without_a_response_is_sent_again_under_its_key(self):
        self.server.drops = 2
        self.connection.post_file("/sources", io.BytesIO(b"tar"), "application/x-tar")
        keys = {request.headers["Idempotency-Key"] for request in self.server.requests}
        self.assertEqual(len(self.server.requests), 3)
        self.assertEqual(len(keys), 1)
        self.assertEqual({request.body for request in self.server.requests}, {b"tar"})

    def test_two_posts_have_two_keys(self):
        for _ in range(2):
            self.connection.post_file("/sources", io.BytesIO(b"tar"), "application/x-tar")
        first, second = self.server.requests
        self.assertNotEqual(first.headers["Idempotency-Key"], second.headers["Idempotency-Key"])

    def test_it_gives_up_in_the_end(self):
        self.server.drops = 3
        with self.assertRaisesRegex(ServerUnreachableException, "no mlprof server answers at"):
            self.connection.get("/version")
        self.assertEqual(len(self.server.requests), 3)

    def test_a_delete_is_not_sent_twice(self):
        self.server.drops = 1
        with self.assertRaises(ServerUnreachableException):
            self.connection.delete("/models/m:1")
        self.assertEqual(len(self.server.requests), 1)

    def test_a_page_that_is_no_json_is_no_mlprof_server(self):
        self.server.on_version = lambda request, rest: (200, b"<html>")
        with self.assertRaisesRegex(MlprofException, "is it an mlprof server"):
            self.connection.get("/version")

    def test_an_error_page_of_something_else_is_told_by_its_status(self):
        self.server.on_version = lambda request, rest: (502, b"<html>")
        with self.assertRaisesRegex(WebserviceException, "answered with status 502"):
            self.connection.get("/version")

    def test_a_list_has_all_its_pages(self):
        self.server.models = [{"name": f"m{number}"} for number in range(5)]
        self.assertEqual([model["name"] for model in self.connection.list_all("/models")],
                         ["m0", "m1", "m2", "m3", "m4"])

    def test_ids_are_one_segment_of_the_path(self):
        with self.assertRaises(WebserviceException):
            self.connection.get("/models/" + "a%2Fb%3F")
        self.assertEqual(self.server.requests[-1].path, "/models/a/b?")


if __name__ == "__main__":
    unittest.main()
