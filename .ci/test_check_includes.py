"""Plants violations and looks whether .ci/check-includes finds each: python3 -B .ci/test_check_includes.py"""

import importlib.machinery
import importlib.util
import pathlib
import unittest

SCRIPT = pathlib.Path(__file__).with_name("check-includes")
LOADER = importlib.machinery.SourceFileLoader("check_includes", str(SCRIPT))
CHECK = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_includes", LOADER))
LOADER.exec_module(CHECK)


def found(path, line):
    return [wrong for _, wrong in CHECK.problems(path, line)]


class CheckIncludesTest(unittest.TestCase):
    def test_refuses_what_points_the_wrong_way(self):
        for path, included in (
                ("server/analysis/a.cc", "server/storage/connection.h"),
                ("server/profiling/a.cc", "server/runtime/docker/engine.h"),
                ("server/runtime/a.cc", "server/runtime/docker/engine.h"),
                ("server/runtime/environment/a.cc", "server/runtime/docker/engine.h"),
                ("server/runtime/a.cc", "server/runtime/environment/pip_config.h"),
                ("server/profiling/run/a.cc", "server/profiling/queue/event_hub.h"),
                ("server/profiling/lab/a.cc", "server/profiling/phases/load.h"),
                ("server/profiling/phases/a.cc", "server/profiling/run/run_facts.h"),
                ("server/profiling/budget/a.cc", "server/profiling/lab/lab.h"),
                ("server/storage/a.h", "server/rest/problem.h"),
                ("server/rest/a.cc", "server/azure/azure_api.h"),
                ("server/rest/a.cc", "agent/relay/relay.h"),
                ("client/src/a.cc", "server/rest/problem.h"),
                ("agent/a.cc", "server/rest/problem.h"),
                ("common/json/a.cc", "agent/relay/relay.h"),
                ("server/rest/a.cc", "problem.h")):
            self.assertEqual(len(found(path, f'#include "{included}"')), 1, (path, included))

    def test_accepts_what_points_the_right_way(self):
        for path, included in (
                ("server/app/a.cc", "server/runtime/docker/docker_options.h"),
                ("server/profiling/a.cc", "server/runtime/runtime.h"),
                ("server/runtime/docker/a.cc", "server/runtime/environment/pip_config.h"),
                ("server/profiling/queue/a.cc", "server/profiling/run/profile_run.h"),
                ("server/profiling/lab/a.cc", "server/profiling/progress/reporting.h"),
                ("server/rest/a.cc", "server/profiling/queue/profile_service.h"),
                ("server/analysis/a.cc", "common/units/bytes.h"),
                ("tests/server/a.cc", "server/runtime/docker/engine.h"),
                ("client/src/a.cc", "mlprof/client.h"),
                ("agent/a.cc", "agent/relay/relay.h")):
            self.assertEqual(found(path, f'#include "{included}"'), [], (path, included))

    def test_json_is_parsed_in_one_file(self):
        self.assertTrue(found("server/rest/a.cc", "auto j = nlohmann::json::parse(text);"))
        self.assertEqual(found("server/rest/a.cc", "// never json::parse here"), [])
        self.assertEqual(found(CHECK.JSON_PARSE_HOME, "auto j = Json::parse(text);"), [])

    def test_names_of_registries_are_found_in_any_file(self):
        self.assertTrue(found("docs/a.md", "see https://" + "pypi" + ".org/project"))
        self.assertEqual(found("docs/a.md", "the package docker.io from Debian"), [])

    def test_documents_name_only_places_that_exist(self):
        def wrong(path, line):
            return [wrong for _, wrong in CHECK.problems(path, line, {"server/app"}.__contains__)]
        self.assertEqual(len(wrong("docs/a.md", "| `server/app` | and `server/report` |")), 1)
        self.assertEqual(len(wrong("README.md", "in `tests/gone.py`.")), 1)
        self.assertEqual(wrong("docs/decisions/a.md", "It is server/app."), [])
        self.assertEqual(wrong("docs/a.md", "in `/var/server/data` and my-server/data"), [])
        self.assertEqual(wrong("api/a.md", "server/report"), [])


if __name__ == "__main__":
    unittest.main()
