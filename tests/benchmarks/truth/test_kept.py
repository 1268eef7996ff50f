"""What the truth benchmark still knows of what it measured before."""

import dataclasses
import json
import pathlib
import tempfile
import unittest
from unittest import mock

import json_file
import judgement
import kept
import oracle
import rules
import sources
import targets
from results import Results

MACHINE = {"cpu": "a", "cores": 2, "memoryInGib": 8, "cgroup": 1}
TARGET = targets.Target("t", "words of no weight", rows=("burn=1",))


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)


class KeyTest(InFolder):
    def test_is_another_for_another_rule(self):
        before = kept.key(TARGET, MACHINE)
        with mock.patch.object(oracle, "RULE", oracle.RULE + 1):
            self.assertNotEqual(kept.key(TARGET, MACHINE), before)
        self.assertEqual(kept.key(TARGET, MACHINE), before)

    def test_is_another_for_another_source(self):
        server = self.folder / "targets/target_server.cc"
        server.parent.mkdir()
        with mock.patch.object(sources, "TESTS", self.folder):
            server.write_text("int main() {}")
            before = kept.key(TARGET, MACHINE)
            server.write_text("int main() { return 1; }")
            self.assertNotEqual(kept.key(TARGET, MACHINE), before)

    def test_a_model_is_made_of_its_own_folder_and_of_what_writes_its_rows(self):
        names = {file.name for file in sources.of_model("sklearn_forest")}
        self.assertEqual(names, {"make.py", "score.py", "packages.txt", "write_rows.py"})
        names = {file.name for file in sources.of_model("sklearn_text")}
        self.assertEqual(names, {"make.py", "score.py", "packages.txt"})

    def test_the_server_and_the_replay_are_sources_of_what_is_planted(self):
        names = {file.name for file in sources.of_target(TARGET)}
        self.assertLessEqual({"target_server.cc", "work.h", "make-image", "replay.cc", "load.h",
                              "http_connection.cc", "place.py"}, names)
        self.assertFalse({"oracle.py", "probe.py", "judgement.py"} & names)


class KeptTest(InFolder):
    def values(self, cpu, **more):
        true = {"rule": oracle.RULE, "confirmed": True, "cpu": cpu, "triedMemory": {16: "held"}}
        return {"oracle": {**true, **more}, "rules": {}, "checks": {"mlprof": {}},
                "profile": {"state": "Succeeded", "samples": "very many",
                            "build": {"commit": "b"},
                            "recommendation": {"requestedCpu": cpu, "verified": True,
                                               "requestedMemoryInBytes": 64 << 20}}}

    def keep(self, cpu, machine=None, target=TARGET, **more):
        kept.keep(target, self.values(cpu, **more), self.folder, machine or MACHINE)

    def find(self, target=TARGET, machine=None):
        return kept.find(target, self.folder, machine or MACHINE)

    def test_finds_an_oracle_again_on_such_a_machine_alone(self):
        self.keep(1.0)
        found = self.find()
        self.assertEqual(found["oracle"]["cpu"], 1.0)
        self.assertEqual(found["profile"]["build"], {"commit": "b"})
        self.assertNotIn("samples", found["profile"])
        self.assertEqual(self.find(machine={**MACHINE, "cores": 4}), {})
        self.assertEqual(self.find(machine={**MACHINE, "memoryInGib": 4}), {})

    def test_what_a_profile_answered_can_still_be_told(self):
        self.keep(1.0)
        self.assertEqual(judgement.told(self.find()["profile"]), "Succeeded, 1 cores and 64 MiB")

    def test_finds_none_of_a_target_that_was_changed(self):
        self.keep(1.0)
        self.assertEqual(self.find(dataclasses.replace(TARGET, rows=("burn=2",))), {})
        self.assertNotEqual(self.find(dataclasses.replace(TARGET, about="other words")), {})

    def test_keeps_one_entry_a_machine(self):
        self.keep(1.0)
        self.keep(2.0, {**MACHINE, "cores": 4})
        self.keep(1.1)
        self.assertEqual([one["oracle"]["cpu"] for one in kept.entries("t", self.folder)],
                         [2.0, 1.1])

    def test_an_oracle_alone_leaves_what_was_judged_by_it(self):
        self.keep(1.0)
        alone = {"oracle": self.values(1.0)["oracle"]}
        kept.keep(TARGET, alone, self.folder, MACHINE)
        self.assertIn("checks", self.find())
        alone["oracle"] |= {"memoryInBytes": 1, "lasted": {"containers": 3}}
        kept.keep(TARGET, alone, self.folder, MACHINE)
        self.assertIn("checks", self.find())
        self.assertIn("lasted", self.find()["oracle"])
        alone["oracle"]["cpu"] = 1.1
        kept.keep(TARGET, alone, self.folder, MACHINE)
        self.assertNotIn("checks", self.find())

    def test_a_write_that_fails_leaves_what_was_kept(self):
        self.keep(1.0)
        with mock.patch.object(pathlib.Path, "replace", side_effect=OSError):
            self.assertRaises(OSError, self.keep, 2.0)
        self.assertEqual(self.find()["oracle"]["cpu"], 1.0)

    def test_keeps_no_failure_that_may_pass_and_no_limits_in_doubt(self):
        failed = {"oracle": {"error": "it did not get ready"}}
        kept.keep(TARGET, failed, self.folder, MACHINE)
        self.keep(1.0, confirmed=False)
        self.assertEqual(self.find(), {})
        never = dataclasses.replace(TARGET, answerable=False)
        kept.keep(never, failed, self.folder, MACHINE)
        self.assertIn("error", self.find(never)["oracle"])

    def test_answers_by_older_rules_are_none(self):
        self.keep(1.0)
        with mock.patch.object(rules, "RULE", rules.RULE + 1):
            self.assertEqual(self.find().keys() & {"oracle", "profile", "rules", "checks"},
                             {"oracle"})

    def test_a_profile_with_its_trials_answers_by_newer_rules(self):
        values = {"rulesVersion": rules.RULE - 1, "rules": {}, "checks": {},
                  "profile": {"trials": []}}
        self.assertEqual(kept.without_old_rules(values).keys(), {"rulesVersion", "profile"})

    def test_names_a_file_that_is_no_json(self):
        (self.folder / "t.json").write_text("[{")
        with self.assertRaisesRegex(json_file.Unreadable, "t.json is not readable"):
            self.find()


class ResultsTest(InFolder):
    def results(self, target=TARGET):
        return Results(self.folder, target, MACHINE)

    def test_knows_what_it_found(self):
        self.results().once("oracle", lambda: {"cpu": 1.0})
        self.assertEqual(self.results().once("oracle", self.fail), {"cpu": 1.0})

    def resumed(self, commit, target=TARGET, **entry):
        kept_before = {"oracle": {"cpu": 1.0}, "rules": {}, "checks": {"mlprof": {}},
                       "profile": {"build": {"commit": "b"}}, **entry}
        results = self.results(target)
        results.resume(kept_before, commit)
        return results.values

    def test_goes_on_with_what_was_kept_of_the_same_build(self):
        self.assertEqual(self.resumed("c"), {})
        self.assertEqual(self.resumed("", profile={"build": {"commit": ""}}), {})
        self.assertEqual(self.resumed("b", profile={"build": None}), {})
        self.assertEqual(self.resumed("b-dirty", profile={"build": {"commit": "b-dirty"}}), {})
        hurried = {"build": {"commit": "b", "budgetSeconds": 60}}
        self.assertEqual(self.resumed("b", profile=hurried), {})
        self.assertEqual(set(self.resumed("b")), {"oracle", "rules", "checks", "profile"})
        self.assertIn("checks", self.results().values)

    def test_finds_anew_what_was_kept_of_a_real_model_whose_image_is_made_by_a_profile(self):
        self.assertEqual(self.resumed("b", dataclasses.replace(TARGET, model="go_trees")), {})

    def test_what_was_found_here_is_not_replaced_by_what_was_kept(self):
        self.results().once("oracle", lambda: {"cpu": 1.1})
        self.assertEqual(self.resumed("b"), {"oracle": {"cpu": 1.1}, **self.results().stamp})

    def test_knows_nothing_of_a_target_that_was_changed(self):
        self.results().once("oracle", lambda: {"cpu": 1.0})
        changed = self.results(dataclasses.replace(TARGET, rows=("burn=2",)))
        self.assertEqual((changed.values, changed.outdated), ({}, True))

    def test_knows_nothing_of_a_file_without_a_key(self):
        (self.folder / "t.json").write_text(json.dumps({"oracle": {"rule": oracle.RULE}}))
        self.assertEqual(self.results().values, {})

    def test_answers_by_older_rules_are_found_anew_with_their_checks(self):
        for name in ("oracle", "rules", "checks"):
            self.results().once(name, dict)
        with mock.patch.object(rules, "RULE", rules.RULE + 1):
            self.assertEqual(set(self.results().values) & {"oracle", "rules", "checks"}, {"oracle"})


if __name__ == "__main__":
    unittest.main()
