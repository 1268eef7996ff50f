"""Where the package looks for its server, token and CA, and what it says when there is none."""

import json
import os
import unittest
from unittest import mock

from fixture import PackageTest
from mlprof.core import Workspace
from mlprof.core.authentication import (InteractiveLoginAuthentication,
                                        ServicePrincipalAuthentication, TokenAuthentication)
from mlprof.exceptions import (AuthenticationException, ServerUnreachableException,
                               UserErrorException)
from mlprof.rest.location import locate_server


class LocationTest(PackageTest):
    def configure(self, **values):
        self.write(".config/mlprof/config.json", json.dumps(values)).chmod(0o600)

    def without_server(self):
        self.replace(mock.patch.dict(os.environ))
        del os.environ["MLPROF_SERVER"]

    def test_an_argument_goes_before_the_environment_and_that_before_the_config_file(self):
        self.configure(server="http://configured:1")
        self.assertEqual(locate_server("http://given:3").url, "http://given:3")
        self.assertEqual(locate_server().url, self.server.url)
        self.without_server()
        self.assertEqual(locate_server().url, "http://configured:1")

    def test_without_any_it_says_how_to_name_one(self):
        self.without_server()
        with self.assertRaisesRegex(UserErrorException, "MLPROF_SERVER.*config.json"):
            Workspace()

    def test_the_config_files_token_goes_to_the_config_files_server_alone(self):
        self.configure(server="https://configured:1", token="secret", ca="/ca.pem")
        self.assertEqual(locate_server().token, "")
        self.without_server()
        found = locate_server()
        self.assertEqual((found.token, found.ca_file), ("secret", "/ca.pem"))
        self.assertNotIn("secret", repr(found))

    def test_a_token_that_others_may_read_is_refused(self):
        self.configure(token="secret")
        self.assertEqual(locate_server().token, "secret")
        (self.folder / ".config/mlprof/config.json").chmod(0o640)
        with self.assertRaisesRegex(UserErrorException, "chmod 600"):
            locate_server()

    def test_a_broken_config_file_is_named(self):
        self.configure(server=17)
        with self.assertRaisesRegex(UserErrorException, 'config.json: "server" must be a string'):
            locate_server()
        self.write(".config/mlprof/config.json", "{")
        with self.assertRaisesRegex(UserErrorException, "config.json is no JSON"):
            locate_server()

    def test_a_login_to_azure_is_taken_for_none_and_a_token_for_itself(self):
        self.configure(server=self.server.url, token="secret")
        self.without_server()
        for login in (None, InteractiveLoginAuthentication(tenant_id="t"),
                      ServicePrincipalAuthentication("t", "p", "s")):
            Workspace(workspace_name="w", auth=login)
            self.assertEqual(self.server.requests[-1].headers["Authorization"], "Bearer secret")
        Workspace(workspace_name="w", auth=TokenAuthentication(lambda audience: audience))
        self.assertEqual(self.server.requests[-1].headers["Authorization"], "Bearer mlprof")

    def test_what_is_no_url_is_refused(self):
        for url in ("127.0.0.1:8080", "ftp://a", "http://", "http://a:x", "http://u@a",
                    "http://a/?b"):
            with self.subTest(url), self.assertRaisesRegex(UserErrorException, "no URL"):
                locate_server(url)

    def test_a_ca_file_that_is_not_there_is_named(self):
        with self.assertRaisesRegex(UserErrorException, "missing.pem"):
            Workspace(server="https://127.0.0.1:1", ca="missing.pem")

    def test_no_server_at_the_address(self):
        with self.assertRaisesRegex(ServerUnreachableException, "127.0.0.1:1:"):
            Workspace(server="http://127.0.0.1:1")


class TokenTest(PackageTest):
    def test_the_token_is_sent_with_every_request(self):
        self.server.token = "t1"
        with self.assertRaisesRegex(AuthenticationException, "mlprof token create"):
            Workspace()
        os.environ["MLPROF_TOKEN"] = "t1"
        self.assertEqual(Workspace().models, {})
        self.assertEqual(Workspace(token="t1").models, {})

    def test_token_authentication_is_asked_for_each_request(self):
        self.server.token = "first"
        tokens = iter(["first", "second"])
        workspace = Workspace(auth=TokenAuthentication(lambda audience: next(tokens)))
        self.server.token = "second"
        self.assertEqual(workspace.models, {})


class WorkspaceTest(PackageTest):
    def test_names_make_the_path(self):
        self.assertEqual(Workspace().path, "default")
        self.assertEqual(Workspace.get("team").path, "team")
        self.assertEqual(Workspace("s", "g", "w").path, "s/g/w")
        self.assertEqual(Workspace.get("w", subscription_id="s", resource_group="g").path, "s/g/w")
        with self.assertRaisesRegex(UserErrorException, "subscription_id, resource_group and"):
            Workspace("s", "g")

    def test_every_request_names_the_workspace(self):
        self.workspace.models
        self.assertEqual(self.server.requests[-1].query["workspace"], ["sub/group/ws"])

    def test_from_config_looks_in_this_folder_and_above(self):
        Workspace("s", "g", "w").write_config()
        (self.folder / "deep/er").mkdir(parents=True)
        os.chdir("deep/er")
        self.assertEqual(Workspace.from_config().path, "s/g/w")
        with self.assertRaisesRegex(UserErrorException, "no config.json"):
            Workspace.from_config(path=".")

    def test_from_config_takes_a_file(self):
        file = self.write("mine.json", json.dumps({"workspace_name": "team"}))
        self.assertEqual(Workspace.from_config(path=str(file)).path, "team")

    def test_details_and_its_picture(self):
        self.assertEqual(self.workspace.get_details()["workspace"], "sub/group/ws")
        self.assertNotIn("<b>", Workspace.get("a<b>")._repr_html_())


if __name__ == "__main__":
    unittest.main()
