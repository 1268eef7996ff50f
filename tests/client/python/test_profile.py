"""Profiles: what is asked of the server, what is shown while waiting, and the figures' names."""

import contextlib
import io
import unittest
import warnings
import xml.etree.ElementTree

from fake_server import MEASUREMENTS, RECOMMENDATION, SUCCEEDED
from fixture import PackageTest
from mlprof.core import Dataset, InferenceConfig, Model, ModelProfile
from mlprof.exceptions import UserErrorException, WebserviceException

KUBERNETES = {"requests": {"cpu": "310m", "memory": "512Mi"},
              "limits": {"cpu": "400m", "memory": "512Mi"}, "startupCpu": "2",
              "because": "its quota stops nothing"}
RARE_EVENTS = {"requests": 1611, "upperBound": 0.00186}
CURVE = [{"cpu": 0.3, "averageLatencyInMs": 31.2, "latencyPercentile50InMs": 28.8,
          "latencyPercentile95InMs": 61.0, "latencyPercentile99InMs": 74.5,
          "requestsPerSecond": 32, "throttledShare": 0.31, "passed": False},
         {"cpu": 0.4, "averageLatencyInMs": 24.1, "latencyPercentile50InMs": 22.7,
          "latencyPercentile95InMs": 35.4, "latencyPercentile99InMs": None,
          "requestsPerSecond": 41, "throttledShare": None, "passed": True}]
FAILED = {"state": "Failed", "error": {"code": "StartFailed", "message": "init() raised: boom",
                                       "advice": ["look into the logs"], "evidence": "Traceback"}}


class ProfileTest(PackageTest):
    def setUp(self):
        super().setUp()
        self.write("score.py")
        self.model = Model.register(self.workspace, "score.py", "m")
        rows = Dataset.Tabular.from_rows(["a", "b"])
        self.dataset = rows.register(self.workspace, "d")

    def create(self, name="p", dataset=None, config=None, **more):
        return Model.profile(self.workspace, name, [self.model],
                             config or InferenceConfig(entry_script="score.py"),
                             dataset or self.dataset, **more)

    def asked(self):
        return self.server.sent("POST", "/profiles")[-1].json

    def finished(self, *steps, **more):
        self.server.profile_steps = list(steps)
        profile = self.create(**more)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            profile.wait_for_completion()
        self.warned = [str(warning.message) for warning in caught]
        return profile


class RequestTest(ProfileTest):
    def test_least(self):
        profile = self.create()
        self.assertEqual(profile.state, "NotStarted")
        self.assertEqual(self.asked(), {
            "name": "p", "modelIds": ["m:1"], "inputDatasetId": "d:1",
            "inferenceConfig": {"entryScript": "score.py", "sourceId": "sha256:" + "0" * 64,
                                "environment": {"name": "default"}},
            "containerResourceRequirements": {"cpu": None, "memoryInGb": None}})

    def test_gpus_are_asked_for_with_their_count(self):
        self.create(accelerator="gpu")
        self.assertEqual(self.asked()["accelerator"], {"type": "gpu", "count": 1})
        self.create(name="p2", accelerator="gpu", accelerator_count=2)
        self.assertEqual(self.asked()["accelerator"], {"type": "gpu", "count": 2})
        self.create(name="p3", accelerator="none")
        self.assertNotIn("accelerator", self.asked())
        for wrong in ({"accelerator": "cuda"}, {"accelerator_count": 2},
                      {"accelerator": "gpu", "accelerator_count": 0}):
            with self.assertRaises(UserErrorException, msg=wrong):
                self.create(name="p4", **wrong)

    def test_what_was_found_of_the_gpu_is_in_the_result(self):
        device = {"count": 1, "neededMemoryInBytes": 3 << 30, "reservedMemoryInBytes": 12 << 30,
                  "neededBy": "cap", "memoryFrom": "processes", "utilization": 0.4}
        profile = self.finished(
            dict(SUCCEEDED, recommendation=dict(RECOMMENDATION, device=device)))
        self.assertEqual(profile.recommended_device, device)
        self.assertEqual(profile.get_details()["recommendedDevice"], device)
        without = self.finished(SUCCEEDED, name="p2")
        self.assertIsNone(without.recommended_device)
        self.assertNotIn("recommendedDevice", without.get_details())

    def test_everything(self):
        self.create(cpu=1.5, memory_in_gb=2.0, description="mine", budget_seconds=60, seed=3,
                    soak_seconds=600, when_quiet=True,
                    objective={"concurrency": 4, "latencyInMs": {"p95": 50}})
        asked = self.asked()
        self.assertEqual(asked["containerResourceRequirements"], {"cpu": 1.5, "memoryInGb": 2.0})
        self.assertEqual(asked["description"], "mine")
        self.assertEqual((asked["budgetSeconds"], asked["seed"]), (60, 3))
        self.assertEqual((asked["soakSeconds"], asked["whenQuiet"]), (600, True))
        self.assertEqual(asked["objective"], {"concurrency": 4, "latencyInMs": {"p95": 50}})

    def test_a_rate_and_how_its_requests_come(self):
        objective = {"requestsPerSecond": 40, "arrivals": {"gamma": {"cv": 2}}}
        self.create(objective=objective)
        self.assertEqual(self.asked()["objective"], objective)

    def test_without_a_config_the_models_own_is_used(self):
        Model.profile(self.workspace, "p", [self.model], None, self.dataset)
        self.assertNotIn("inferenceConfig", self.asked())

    def test_a_dataset_that_is_not_registered_is_sent_once_under_its_contents_name(self):
        for name in ("p1", "p2"):
            self.create(name, dataset=Dataset.Tabular.from_rows(["x", b"y"]))
            self.assertRegex(self.asked()["inputDatasetId"], "^unregistered-[0-9a-f]{16}:1$")
        self.create("p3", dataset=Dataset.Tabular.from_rows(["xy"]))
        self.assertEqual(len(self.server.datasets), 3)

    def test_what_cannot_be_asked_is_refused_before_anything_is_sent(self):
        self.server.requests.clear()
        config = InferenceConfig(entry_script="score.py")
        for name, models, dataset, more, why in (
                ("", [self.model], self.dataset, {}, "needs a name"),
                ("p", [], self.dataset, {}, "at least one model"),
                ("p", [self.model], "d:1", {}, "must be a dataset"),
                ("p", [self.model], self.dataset, {"cpu": 0.05}, "at least 0.1 cores"),
                ("p", [self.model], self.dataset, {"memory_in_gb": 0.016}, "at least 0.03125")):
            with self.subTest(why), self.assertRaisesRegex(UserErrorException, why):
                Model.profile(self.workspace, name, models, config, dataset, **more)
        self.assertEqual(self.server.requests, [])

    def test_a_name_that_is_taken(self):
        self.create()
        with self.assertRaisesRegex(WebserviceException, "a profile named p already"):
            self.create()


class WaitTest(ProfileTest):
    STEPS = [{"state": "Preparing", "progress": {"phase": "prepare", "fraction": 0.1,
                                                 "message": "pip\n\x1b[2J", "secondsLeft": None}},
             {"state": "Profiling", "progress": {"phase": "load", "fraction": 0.5, "message": "",
                                                 "secondsLeft": 31.4}}, SUCCEEDED]

    def shown(self, terminal):
        self.server.profile_steps = list(self.STEPS)
        out = io.StringIO()
        out.isatty = lambda: terminal
        profile = self.create()
        with contextlib.redirect_stdout(out):
            profile.wait_for_completion(show_output=True)
        self.assertEqual(profile.state, "Succeeded")
        return out.getvalue()

    def test_shows_a_line_for_each_phase(self):
        self.assertEqual(self.shown(terminal=False),
                         "Preparing  10%, prepare, pip  [2J\n"
                         "Profiling  50%, load, 31 s left\nSucceeded\n")

    def test_rewrites_one_line_on_a_terminal(self):
        shown = self.shown(terminal=True)
        self.assertEqual(shown.count("\n"), 1)
        self.assertTrue(shown.startswith("\rPreparing  10%"), shown)
        self.assertIn("\rSucceeded", shown)

    def test_is_silent_unless_told(self):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            self.finished(*self.STEPS)
        self.assertEqual((out.getvalue(), self.warned), ("", []))

    def test_a_server_that_is_away_for_a_moment_is_waited_for(self):
        self.server.profile_steps = [SUCCEEDED]
        profile = self.create()
        self.server.drops = 5
        profile.wait_for_completion()
        self.assertEqual(profile.state, "Succeeded")

    def test_a_timeout_leaves_the_profile_running(self):
        profile = self.create()
        with self.assertRaisesRegex(WebserviceException, "has not ended after 0 s"):
            profile.wait_for_completion(timeout_seconds=0)

    def test_a_failure_is_a_warning_and_an_error_with_all_that_is_known(self):
        profile = self.finished(FAILED)
        self.assertEqual(len(self.warned), 1)
        self.assertIn("failed with the following error: init() raised: boom", self.warned[0])
        self.assertEqual(profile.error["code"], "StartFailed")
        self.assertEqual([detail["message"] for detail in profile.error["details"]],
                         ["look into the logs", "Traceback"])
        self.assertEqual(profile.get_details(), {
            "name": "p", "description": "", "state": "Failed", "requestedQueriesPerSecond": 0,
            "createdTime": "2026-11-20T19:12:00.000Z", "error": profile.error,
            "errorLogsUri": self.server.url + "/profiles/id-0/logs"})
        self.assertEqual(profile.logs(), "model log\n")

    def test_its_artifacts_are_listed_and_downloaded(self):
        profile = self.finished(SUCCEEDED)
        (log,) = profile.artifacts()
        self.assertEqual(log["name"], "containers.log")
        file = io.BytesIO()
        profile.download_artifact(log["id"], file)
        self.assertEqual(file.getvalue(), b"--- container 1\n")

    def test_an_answer_that_is_not_proven_is_told_as_well(self):
        warning = {"code": "rowsFailed", "message": "2 rows failed", "advice": "look at them"}
        profile = self.finished({**SUCCEEDED, "warnings": [warning],
                                 "recommendation": {**RECOMMENDATION, "verified": False}})
        self.assertIn("encountered issues during execution: 2 rows failed", self.warned[0])
        self.assertEqual(profile.get_details()["error"], {
            "code": "NotVerified", "message": "2 rows failed",
            "details": [{"code": "NotVerified", "message": "look at them"}]})
        self.assertEqual(profile.get_details()["recommendedCpu"], 0.4)

    def test_that_there_is_no_answer_is_told_with_what_came_nearest(self):
        nearest = {"cpu": 2, "memoryInBytes": 2**32, "memoryInGb": 4, "concurrency": 1,
                   "requestsPerSecond": None, "latencyPercentile95InMs": 21.4,
                   "measuredQueriesPerSecond": 48.1, "shortOf": "p95 was 21.4 ms"}
        no_answer = {"code": "objectiveNotHeld", "message": "no limit holds it", "nearest": nearest}
        profile = self.finished({**SUCCEEDED, "recommendation": None, "noAnswer": no_answer})
        self.assertEqual(profile.state, "Succeeded")
        self.assertEqual(profile.no_answer, no_answer)
        self.assertIn("encountered issues during execution: no limit holds it", self.warned[0])
        self.assertEqual(profile.get_details()["error"]["code"], "ObjectiveNotHeld")
        self.assertIsNone(profile.recommended_cpu)
        self.assertNotIn("recommendedCpu", profile.get_details())
        page = profile._repr_html_()
        self.assertIn("no limit holds it", page)
        self.assertIn("Came nearest: 2 cores, 4096 MiB, 48.1 requests/s, p95 21.4 ms", page)

    def test_an_environment_that_is_not_the_one_asked_for_is_told(self):
        warning = {"code": "baseImageReplaced", "message": "mlprof's own", "advice": ""}
        profile = self.finished({**SUCCEEDED, "warnings": [warning]})
        self.assertEqual(profile.error["code"], "EnvironmentDiffers")
        self.assertEqual(len(self.warned), 1)

    def test_other_warnings_are_no_error(self):
        warning = {"code": "sharedCores", "message": "shared", "advice": ""}
        profile = self.finished({**SUCCEEDED, "warnings": [warning]})
        self.assertEqual((profile.error, self.warned), (None, []))

    def test_rerun_is_another_run_of_the_name(self):
        first = self.finished(SUCCEEDED, cpu=1.5)
        again = first.rerun()
        self.assertEqual((again.name, again.state), (first.name, "NotStarted"))
        self.assertNotEqual(again.id, first.id)

    def test_rerun_leaves_waiting_for_quiet_to_the_server_unless_told(self):
        first = self.finished(SUCCEEDED)
        for more, sent in (({}, {}), ({"when_quiet": None}, {}),
                           ({"when_quiet": True}, {"whenQuiet": True}),
                           ({"when_quiet": False}, {"whenQuiet": False})):
            with self.subTest(more):
                first.rerun(**more)
                asked = self.server.sent("POST", "/profiles/" + first.id + "/rerun")[-1]
                self.assertEqual(asked.json, sent)

    def test_cancel(self):
        profile = self.create()
        profile.cancel()
        self.assertEqual(profile.state, "Cancelled")
        self.assertEqual(profile.error["code"], "Cancelled")


class DetailsTest(ProfileTest):
    def test_the_names_are_the_sdks(self):
        details = self.finished(SUCCEEDED).get_details()
        self.assertEqual(set(details), {
            "name", "description", "state", "createdTime", "requestedCpu", "requestedMemoryInGB",
            "requestedMemoryInGb", "requestedQueriesPerSecond", "maxUtilizedCpu",
            "maxUtilizedMemoryInGB", "totalQueries", "successQueries", "successRate",
            "averageLatencyInMs", "latencyPercentile50InMs", "latencyPercentile90InMs",
            "latencyPercentile95InMs", "latencyPercentile99InMs", "measuredQueriesPerSecond",
            "recommendedCpu", "recommendedMemoryInGB"})
        self.assertEqual(details["successRate"], 97.5)
        self.assertEqual(details["averageLatencyInMs"], MEASUREMENTS["averageLatencyInMs"])
        self.assertEqual(details["recommendedCpu"], RECOMMENDATION["requestedCpu"])

    def test_requested_is_what_was_asked_and_else_the_answer(self):
        nothing = self.finished(SUCCEEDED).get_details()
        self.assertEqual((nothing["requestedCpu"], nothing["requestedMemoryInGb"]), (0.4, 0.5))
        asked = self.finished(SUCCEEDED, name="p2", cpu=2, memory_in_gb=3).get_details()
        self.assertEqual((asked["requestedCpu"], asked["requestedMemoryInGB"],
                          asked["requestedMemoryInGb"]), (2, 3, 3))
        self.assertEqual(asked["recommendedCpu"], 0.4)

    def test_the_pages_last_step_tags_the_model_with_the_answer(self):
        details = self.finished(SUCCEEDED).get_details()
        self.model.add_tags({"requestedCpu": details["requestedCpu"],
                             "requestedMemoryInGb": details["requestedMemoryInGb"]})
        self.assertEqual(self.model.tags, {"requestedCpu": "0.4", "requestedMemoryInGb": "0.5"})

    def test_attributes_and_serialize_agree(self):
        profile = self.finished(SUCCEEDED)
        everything = profile.serialize()
        self.assertEqual(profile.latency_percentile_99_in_ms, everything["latencyPercentile99InMs"])
        self.assertIsNone(everything["latencyPercentile999InMs"])
        self.assertEqual(everything["inputDatasetId"], profile.input_dataset_id)
        self.assertEqual(profile.created_time.isoformat(), "2026-11-20T19:12:00+00:00")

    def test_is_found_by_name(self):
        self.finished(SUCCEEDED)
        again = ModelProfile(self.workspace, "p")
        self.assertEqual(again.get_details()["recommendedMemoryInGB"], 0.5)
        with self.assertRaisesRegex(WebserviceException, "no profile nothing"):
            ModelProfile(self.workspace, "nothing")


class AnswerTest(ProfileTest):
    ATTRIBUTES = ("recommended_cpu_bound", "recommended_memory_bound", "kubernetes", "rare_events",
                  "curve")

    def answered(self, **more):
        return self.finished({**SUCCEEDED, "recommendation": {**RECOMMENDATION, **more}})

    def told(self, profile):
        return [getattr(profile, name) for name in self.ATTRIBUTES]

    def test_says_what_a_pod_asks_for_what_is_rare_and_how_the_load_went_at_each_limit(self):
        profile = self.answered(kubernetes=KUBERNETES, rareEvents=RARE_EVENTS, curve=CURVE)
        self.assertEqual((profile.kubernetes, profile.rare_events, profile.curve),
                         (KUBERNETES, RARE_EVENTS, CURVE))
        everything = profile.serialize()
        self.assertEqual((everything["kubernetes"], everything["rareEvents"], everything["curve"]),
                         (KUBERNETES, RARE_EVENTS, CURVE))

    def test_says_of_each_number_how_sure_it_is_and_what_keeps_it_from_more(self):
        memory = {**RECOMMENDATION["memory"], "confidence": "medium", "because": "few requests"}
        profile = self.answered(memory=memory)
        self.assertEqual(profile.recommended_memory_bound, memory)
        self.assertEqual(profile.recommended_cpu_bound["confidence"], "high")
        self.assertNotIn("because", profile.recommended_cpu_bound)
        self.assertEqual(profile.serialize()["recommendedMemoryBound"], memory)

    def test_what_an_answer_does_not_tell_is_none(self):
        self.assertEqual(self.told(self.answered())[2:], [None, None, []])

    def test_without_an_answer_nothing_of_it_is_known(self):
        profile = self.create()
        self.assertEqual(self.told(profile), [None, None, None, None, []])
        self.server.profile_steps = [{**SUCCEEDED, "recommendation": {
            **RECOMMENDATION, "kubernetes": KUBERNETES, "rareEvents": RARE_EVENTS, "curve": CURVE}}]
        self.assertEqual(self.told(profile.refresh())[2:], [KUBERNETES, RARE_EVENTS, CURVE])

    def test_the_sdks_names_are_not_joined_by_it(self):
        plain = self.finished(SUCCEEDED, name="p2").get_details()
        profile = self.answered(kubernetes=KUBERNETES, rareEvents=RARE_EVENTS, curve=CURVE)
        self.assertEqual(set(profile.get_details()), set(plain))


class NotebookTest(ProfileTest):
    POINTS = [{"cpu": cpu, "latencyPercentile95InMs": 100 * (1 - cpu), "passed": cpu > 0.3}
              for cpu in (0.5, 0.2, 0.4)]

    def page(self, step, **samples):
        self.server.samples = samples
        page = self.finished(step)._repr_html_()
        return page, xml.etree.ElementTree.fromstring(page)  # well-formed all through

    def test_shows_the_numbers_and_two_plots(self):
        step = {**SUCCEEDED, "findings": {"cpu": {"points": self.POINTS}}}
        page, tree = self.page(step, memoryInBytes=[[0, 1 << 20], [1, 400 << 20]])
        self.assertIn("0.4 cores, 512 MiB", page)
        self.assertIn("p95 35.4 ms", page)
        svg = "{http://www.w3.org/2000/svg}"
        self.assertEqual(len(tree.findall(f".//{svg}svg")), 2)
        dots = tree.findall(f".//{svg}circle")
        self.assertEqual([dot.get("fill") == "none" for dot in dots], [True, False, False])
        for line in tree.findall(f".//{svg}polyline"):
            for point in line.get("points").split():
                x, y = map(float, point.split(","))
                self.assertTrue(0 <= x <= 420 and 0 <= y <= 220, point)

    def answered(self, findings=None, **more):
        return self.page({**SUCCEEDED, "findings": {"cpu": findings and {"points": findings}},
                          "recommendation": {**RECOMMENDATION, **more}})

    def rows(self, tree, table):
        return [["".join(cell.itertext()) for cell in row]
                for row in tree.findall("table")[table].findall("tr")]

    def test_says_what_keeps_a_number_from_high_confidence(self):
        cpu, memory = RECOMMENDATION["cpu"], RECOMMENDATION["memory"]
        _, tree = self.answered(cpu={**cpu, "because": "3 fresh containers held it"},
                                memory={**memory, "confidence": "medium", "because": "1 < 3 runs"})
        rows = dict(self.rows(tree, 0))
        self.assertEqual(rows["cpu"], "0.3 to 0.5 cores: 12 ms a request")
        self.assertEqual(rows["memory"], "0.44 to 0.6 GiB: the peak was 430 MiB; "
                                         "medium confidence: 1 < 3 runs")

    def test_a_number_of_a_profile_of_before_has_its_reason_alone(self):
        _, tree = self.answered(memory={**RECOMMENDATION["memory"], "confidence": "low"})
        self.assertEqual(dict(self.rows(tree, 0))["memory"],
                         "0.44 to 0.6 GiB: the peak was 430 MiB")

    def test_shows_the_settings_of_kubernetes_and_what_is_rare(self):
        _, tree = self.answered(kubernetes=KUBERNETES, rareEvents=RARE_EVENTS)
        rows = dict(self.rows(tree, 0))
        self.assertEqual(rows["Kubernetes"],
                         "requests cpu 310m, memory 512Mi; limits cpu 400m, memory 512Mi; "
                         "cpu 2 while it starts: its quota stops nothing")
        self.assertEqual(rows["rare events"], "no kill in 1611 requests: at most 0.186% of them, "
                                              "at 95% confidence")

    def test_a_pod_without_a_limit_of_cpu_and_without_a_measured_start(self):
        limits = {"cpu": None, "memory": "512Mi"}
        pod = {**KUBERNETES, "limits": limits, "startupCpu": None, "because": "<b>none</b> holds"}
        page, tree = self.answered(kubernetes=pod)
        self.assertEqual(dict(self.rows(tree, 0))["Kubernetes"],
                         "requests cpu 310m, memory 512Mi; limits cpu none, memory 512Mi: "
                         "<b>none</b> holds")
        self.assertNotIn("<b>none", page)

    def test_shows_the_curve_by_limit(self):
        _, tree = self.answered(curve=CURVE[::-1])
        self.assertEqual(self.rows(tree, 1), [
            ["cores", "p50 in ms", "p95 in ms", "p99 in ms", "requests/s", "throttled periods",
             "held"],
            ["0.3", "28.8", "61", "74.5", "32", "31%", "no"],
            ["0.4", "22.7", "35.4", "-", "41", "-", "yes"]])

    def test_the_answers_curve_goes_before_what_was_found(self):
        _, tree = self.answered(findings=self.POINTS, curve=CURVE)
        self.assertEqual([row[0] for row in self.rows(tree, 1)[1:]], ["0.3", "0.4"])
        dots = tree.findall(".//{http://www.w3.org/2000/svg}circle")
        self.assertEqual([dot.get("fill") == "none" for dot in dots], [True, False])

    def test_an_answer_without_a_curve_shows_what_was_found(self):
        _, tree = self.answered(findings=self.POINTS)
        self.assertEqual([[row[0], row[-1]] for row in self.rows(tree, 1)[1:]],
                         [["0.2", "no"], ["0.4", "yes"], ["0.5", "yes"]])
        self.assertEqual(len(tree.findall(".//{http://www.w3.org/2000/svg}circle")), 3)

    def test_without_a_curve_there_is_no_table_of_it(self):
        _, tree = self.answered()
        self.assertEqual(len(tree.findall("table")), 1)

    def test_shows_series_that_it_was_not_written_for(self):
        self.server.series_info = {"memoryInBytes": {"unit": "bytes", "source": "agent"},
                                   "cacheInBytes": {"unit": "bytes", "source": "agent"},
                                   "deviceClock": {"unit": "<GHz>", "source": "device"},
                                   "deviceMemoryInBytes": {"unit": "bytes", "source": "device"}}
        points = [[0, 1 << 20], [1, 400 << 20]]
        page, tree = self.page(SUCCEEDED, memoryInBytes=points, cacheInBytes=points,
                               deviceMemoryInBytes=points, deviceClock=[[0, 1], [1, 1.5]])
        self.assertEqual(len(tree.findall(".//{http://www.w3.org/2000/svg}svg")), 3)
        self.assertIn("deviceMemoryInBytes in MiB by second (device)", page)
        self.assertIn("deviceClock in &lt;GHz&gt; by second (device)", page)
        profile = ModelProfile(self.workspace, "p")
        self.assertEqual(profile.series_info()["deviceMemoryInBytes"]["source"], "device")
        self.assertEqual(profile.samples()["deviceMemoryInBytes"], points)

    def test_is_self_contained(self):
        page, _ = self.page(SUCCEEDED)
        self.assertNotIn("src=", page)
        self.assertNotIn("href", page)
        self.assertNotIn("<script", page)

    def test_everything_is_escaped(self):
        evil = "<img src=x onerror='alert(1)'>"
        page, _ = self.page({**FAILED, "name": evil, "modelIds": [evil], "inputDatasetId": evil,
                             "error": {"code": evil, "message": evil, "advice": [evil],
                                       "evidence": evil},
                             "warnings": [{"code": evil, "message": evil, "advice": evil}]})
        self.assertNotIn("<img", page)
        self.assertGreaterEqual(page.count("&lt;img"), 6)

    def test_one_that_runs_shows_its_progress(self):
        page = self.create()._repr_html_()
        self.assertIn("queued, 0% waiting", page)
        self.assertNotIn("<svg", page)

    def test_a_server_that_is_gone_takes_only_the_plot(self):
        profile = self.finished(SUCCEEDED)
        self.server.drops = 3
        self.assertIn("0.4 cores", profile._repr_html_())


if __name__ == "__main__":
    unittest.main()
