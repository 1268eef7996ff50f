"""What tests with Azure ML's v1 SDK have in common: azureml-core as it is published, an
mlprof-server over TLS, and `eval "$(mlprof azure-env)"` between them."""

import urllib.parse

from script_case import ScriptCase
from script_runs import (BUDGET_S, GROUP, NAME, SCRIPTS, SUBSCRIPTION, WORKSPACE, environment,
                         home_of, result_of)
from server import ROOT, Server

PACKAGES = ("azureml-core==1.61.0.post4", "azureml-dataset-runtime")
WITH_AZURE_ENV = (f'lines=$(mlprof azure-env --subscription {SUBSCRIPTION} '
                  f'--resource-group {GROUP} --workspace {NAME}) && eval "$lines" && exec "$@"')


class AzureSdkCase(ScriptCase):
    @classmethod
    def setUpClass(cls):
        cls.python = environment(ROOT / "build/azure-venv", PACKAGES, "\n".join(PACKAGES))
        cls.server = Server(options=("--tls-listen", "127.0.0.1:0",
                                     "--budget-seconds", str(BUDGET_S))).start()
        cls.addClassCleanup(cls.server.close)

    def words(self, script, *arguments):
        return ["sh", "-c", WITH_AZURE_ENV, "sh", self.python, "-W", "ignore::DeprecationWarning",
                SCRIPTS / script, *arguments]

    def run_script(self, script, *arguments):
        return result_of(self.words(script, *arguments), self.folder,
                         home_of(self.folder, self.server))

    def native(self, path):
        joined = "&" if "?" in path else "?"
        return self.server.get(f"{path}{joined}workspace={urllib.parse.quote(WORKSPACE, safe='')}")
