"""The same scripts on mlprof's own Python package: only their imports are changed."""

import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
import urllib.parse

from checks import check_recommendation
from long_tests import long_test
from script_case import ScriptCase
from script_checks import check_outcomes, check_registry, check_tags
from script_runs import BUDGET_S, SCRIPTS, WORKSPACE, environment, home_of, result_of
from server import BIN, ROOT, Server

PACKAGE = ROOT / "client/python"
CHECKER = "mypy==1.13.0"


def stamp():
    """What an installed copy of the package depends on."""
    files = sorted(path for path in PACKAGE.rglob("*") if path.suffix in (".py", ".toml"))
    return "\n".join([CHECKER, *(f"{path}\n{path.read_text()}" for path in files)])


class PythonPackageTest(ScriptCase):
    @classmethod
    def setUpClass(cls):
        cls.copy = tempfile.TemporaryDirectory(prefix="mlprof-it-")  # pip builds inside of it
        cls.addClassCleanup(cls.copy.cleanup)
        source = pathlib.Path(cls.copy.name) / "python"
        shutil.copytree(PACKAGE, source)
        cls.python = environment(ROOT / "build/python-venv", (source, CHECKER), stamp())
        cls.server = Server(options=("--budget-seconds", str(BUDGET_S))).start()
        cls.addClassCleanup(cls.server.close)

    def run_script(self, script, *arguments):
        text = (SCRIPTS / script).read_text()
        changed = re.sub(r"^from azureml\.", "from mlprof.", text, flags=re.M)
        self.assertNotEqual(changed, text)
        (self.folder / script).write_text(changed)
        return result_of([self.python, script, *arguments], self.folder,
                         home_of(self.folder, self.server))

    def test_the_pages_script(self):
        printed, result = self.run_script("profile_script.py")
        details = result["details"]
        self.assertEqual(details["state"], "Succeeded", printed)
        self.assertIn("Profiling", printed)
        where = urllib.parse.quote(WORKSPACE, safe="")
        answer = check_recommendation(
            self, self.server.get(f"/profiles/unique_name?workspace={where}"))
        self.assertEqual(details["recommendedCpu"], answer["requestedCpu"])
        self.assertEqual(details["requestedMemoryInGb"], answer["requestedMemoryInGb"])
        check_tags(self, result["tags"], answer)
        shown = subprocess.run([BIN / "mlprof", "profile", "show", "unique_name", "--workspace",
                                WORKSPACE], env=home_of(self.folder, self.server),
                               stdout=subprocess.PIPE, check=True).stdout.decode()
        self.assertIn(f"{answer['requestedCpu']:g} core", shown)

    def test_models_and_datasets(self):
        _, result = self.run_script("registry_script.py")
        check_registry(self, result)

    @long_test
    def test_profiles_that_fail_and_that_ask_for_everything(self):
        _, result = self.run_script("outcomes_script.py", "initRaises", "bare", "rowFails",
                                    "everything", "refused")
        check_outcomes(self, result)
        self.assertIn("more than one column", result["refused"]["twoColumns"])

    def test_over_tls_with_a_token(self):
        token = self.folder / "token"
        token.write_text("a secret of at least 32 characters".replace(" ", "-"))
        token.chmod(0o600)
        server = Server(options=("--tls-listen", "127.0.0.1:0", "--require-token",
                                 "--token-file", token)).start()
        self.addCleanup(server.close)
        script = """import json, mlprof
from mlprof.exceptions import MlprofException
try:
    result = mlprof.Workspace().get_details()["workspace"]
except MlprofException as error:
    result = [type(error).__name__, error.message]
print("RESULT " + json.dumps(result))"""
        known = {"MLPROF_SERVER": server.tls_url(), "MLPROF_TOKEN": token.read_text(),
                 "MLPROF_CA": str(server.data / "tls/ca.pem")}
        for missing, expected in ((None, "default"),
                                  ("MLPROF_TOKEN", "AuthenticationException.*token"),
                                  ("MLPROF_CA", "ServerUnreachableException.*not trusted")):
            variables = {**home_of(self.folder, server), **known}
            variables.pop(missing, None)
            _, result = result_of([self.python, "-c", script], self.folder, variables)
            self.assertRegex(str(result), expected)

    def test_types_hold(self):
        done = subprocess.run([self.python, "-m", "mypy", "--strict", "--cache-dir",
                               self.folder / "mypy", "-p", "mlprof"], cwd=PACKAGE,
                              stdout=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 0, done.stdout.decode())


if __name__ == "__main__":
    unittest.main()
