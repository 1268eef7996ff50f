"""Profiles, from their creation to their end; run by test_routes."""

import hashlib

from routes_case import IMAGE, JSON, TEXT, RoutesCase


class ProfilesTest(RoutesCase):
    def test_a_profile_from_its_creation_to_its_end(self):
        self.register("whole")
        created = self.create("whole", containerResourceRequirements={"cpu": 1000},
                              objective={"concurrency": 2, "latencyInMs": {"p95": 5000}})
        self.assertEqual(created.headers["Location"], "/profiles/whole")
        self.assertEqual(created.json["modelIds"], ["whole:1"])
        self.assertEqual(created.json["objective"]["concurrency"], 2)
        self.ask(409, "DELETE", "/models/whole")
        self.ask(409, "DELETE", "/profiles/whole")
        self.ask(409, "POST", "/profiles/whole/apply")
        events = self.events("whole")
        self.assertEqual(events[-1]["event"], "done")
        ids = [int(event["id"]) for event in events]
        self.assertEqual(ids, sorted(set(ids)))
        later = self.events("whole", after=events[-2]["id"])
        self.assertEqual([event["event"] for event in later], ["done"])
        # So that a browser does not ask again for ever.
        for seen in (events[-1]["id"], "999999999"):
            end = self.ask(204, "GET", "/profiles/whole/events", headers={"Last-Event-ID": seen})
            self.assertEqual(end.body, b"")

        profile = self.ask(200, "GET", "/profiles/whole").json
        self.assertEqual(profile["state"], "Succeeded", profile)
        self.assertEqual(self.ask(200, "GET", f"/profiles/{profile['id']}").json, profile)
        answer = profile["recommendation"]
        self.assertEqual(answer["requestedMemoryInGb"] * 2**30, answer["requestedMemoryInBytes"])
        self.assertTrue(self.ask(200, "GET", "/profiles/whole/trials").json["value"])
        self.assertEqual(len(self.ask(200, "GET", "/profiles/whole/rows?top=2").json["value"]), 2)
        samples = self.ask(200, "GET", "/profiles/whole/samples?from=0&maxPoints=50").json
        self.assertTrue(samples["series"]["memoryInBytes"])
        self.assertEqual(set(samples["seriesInfo"]), set(samples["series"]))
        self.assertEqual(samples["seriesInfo"]["memoryInBytes"],
                         {"unit": "bytes", "source": "agent"})
        # Of an instrument that nothing but the contract server's composition names.
        self.assertTrue(samples["series"]["deviceMemoryInBytes"])
        self.assertEqual(samples["seriesInfo"]["deviceMemoryInBytes"],
                         {"unit": "bytes", "source": "device"})
        self.ask(200, "GET", "/profiles/whole/logs")
        listed = self.ask(200, "GET", "/profiles?state=Succeeded&modelId=whole").json["value"]
        self.assertEqual([item["name"] for item in listed], ["whole"])
        page = self.ask(200, "GET", "/").body.decode()
        self.assertIn("whole", page)

        self.check_what_if("whole", profile)
        self.check_artifacts("whole")
        self.check_azure("whole", profile)
        self.ask(200, "POST", "/profiles/whole/apply")
        self.assertEqual(self.ask(200, "GET", "/models/whole").json["tags"], answer["tags"])
        self.ask(409, "POST", "/profiles/whole/cancel")
        self.ask(409, "POST", "/profiles", {"name": "whole", "modelIds": ["whole"],
                                            "inputDatasetId": "whole", "inferenceConfig": IMAGE})
        self.ask(204, "DELETE", "/profiles/whole")
        for method, part in [("GET", ""), ("DELETE", ""), ("GET", "/events"), ("GET", "/samples"),
                             ("GET", "/trials"), ("GET", "/rows"), ("GET", "/logs"),
                             ("GET", "/artifacts"), ("GET", "/azure"), ("POST", "/cancel"), ("POST", "/apply")]:
            with self.subTest(method=method, part=part):
                self.ask(404, method, f"/profiles/whole{part}")

    def check_what_if(self, name, profile):
        route = f"/profiles/{name}/what-if"
        own = self.ask(200, "POST", route, {}).json
        for figure in ("requestedCpu", "requestedMemoryInBytes", "verified"):
            self.assertEqual(own[figure], profile["recommendation"][figure])
        roomier = self.ask(200, "POST", route, {"memoryMargin": 2}).json
        self.assertGreater(roomier["requestedMemoryInBytes"], own["requestedMemoryInBytes"])
        self.assertFalse(roomier["verified"])
        beyond = self.ask(200, "POST", route, {"objective": {"requestsPerSecond": 100000}}).json
        self.assertFalse(beyond["withinMeasured"])
        self.assertTrue(beyond["notes"])
        self.assertIsNone(beyond["recommendation"])
        self.assertEqual(beyond["noAnswer"]["code"], "beyondMeasured")
        self.assertGreater(beyond["noAnswer"]["nearest"]["measuredQueriesPerSecond"], 0)
        bad = self.ask(400, "POST", route, {"objective": {"concurrency": 0, "y": 1},
                                            "memoryMargin": -1, "x": 1})
        self.assertEqual(self.pointers(bad), ["/memoryMargin", "/objective/concurrency",
                                              "/objective/y", "/x"])
        self.ask(415, "POST", route, "{}", TEXT)

    def check_azure(self, name, profile):
        told = self.ask(200, "GET", f"/profiles/{name}/azure").json
        self.assertEqual((told["id"], told["state"]), (profile["id"], "Succeeded"))
        self.assertEqual(told["recommendedCpu"], profile["recommendation"]["requestedCpu"])
        # What was asked for, where the profile itself has what the host allowed.
        self.assertEqual((told["requestedCpu"], told["requestedMemoryInGB"]),
                         (1000, told["recommendedMemoryInGB"]))
        self.assertLess(profile["containerResourceRequirements"]["cpu"], 1000)
        self.assertEqual(told["successRate"], 100 * profile["measurements"]["successRate"])
        self.ask(400, "GET", f"/profiles/{name}/azure?what=1")

    def check_artifacts(self, name):
        route = f"/profiles/{name}/artifacts"
        (log,) = self.ask(200, "GET", route).json["value"]
        self.assertEqual((log["kind"], log["name"]), ("log", "containers.log"))
        response = self.ask(200, "GET", f"{route}/{log['id']}")
        self.assertTrue(response.body.startswith(b"--- container 1\n"), response.body[:100])
        self.assertEqual(int(response.headers["Content-Length"]), log["sizeInBytes"])
        self.assertEqual(hashlib.sha256(response.body).hexdigest(), log["sha256"])
        self.assertEqual(response.headers["ETag"], f'"{log["sha256"]}"')
        self.assertEqual(response.headers["Content-Type"], log["mediaType"])
        self.assertEqual(response.headers["X-Content-Type-Options"], "nosniff")
        self.assertEqual(response.headers["Content-Disposition"],
                         'attachment; filename="containers.log"')
        self.assertIn("sandbox", response.headers["Content-Security-Policy"])
        self.ask(304, "GET", f"{route}/{log['id']}",
                 headers={"If-None-Match": f'"other", {response.headers["ETag"]}'})
        head = self.server.raw("HEAD", f"{route}/{log['id']}")
        self.assertEqual((head.status, head.body), (200, b""))
        self.assertEqual(head.headers["Content-Length"], response.headers["Content-Length"])
        self.ask(400, "GET", f"{route}?cursor=x")
        self.ask(400, "GET", f"{route}/{log['id']}?what=1")
        for method in ("GET", "DELETE"):
            self.ask(404, method, f"{route}/{'0' * 32}")
            self.ask(404, method, f"/profiles/nothing/artifacts/{log['id']}")
        self.assertEqual(self.server.raw("GET", f"{route}/{log['id']}/x").status, 404)
        self.ask(204, "DELETE", f"{route}/{log['id']}")
        self.ask(404, "GET", f"{route}/{log['id']}")
        self.assertEqual(self.ask(200, "GET", route).json["value"], [])

    def test_running_a_profile_again(self):
        self.ask(404, "POST", "/profiles/nothing/rerun")
        self.register("again")
        first = self.create("again", budgetSeconds=600, seed=7).json
        self.ask(409, "POST", "/profiles/again/rerun")
        self.ask(202, "POST", "/profiles/again/cancel")
        self.events("again")
        bad = self.ask(400, "POST", "/profiles/again/rerun", {"whenQuiet": 1, "name": "x"})
        self.assertEqual(self.pointers(bad), ["/name", "/whenQuiet"])
        rerun = self.ask(202, "POST", "/profiles/again/rerun", {"whenQuiet": True})
        self.assertEqual(rerun.headers["Location"], "/profiles/" + rerun.json["id"])
        self.assertNotEqual(rerun.json["id"], first["id"])
        for key in ("name", "modelIds", "inputDatasetId", "objective", "budgetSeconds", "seed"):
            self.assertEqual(rerun.json[key], first[key], key)
        self.assertTrue(rerun.json["whenQuiet"])
        self.assertEqual(self.ask(200, "GET", "/profiles/again").json["id"], rerun.json["id"])
        self.ask(202, "POST", "/profiles/again/cancel")
        for asked, quiet in ((None, True), ({"whenQuiet": False}, False)):
            self.events("again")
            once_more = self.ask(202, "POST", "/profiles/again/rerun", asked).json
            self.assertEqual(once_more["whenQuiet"], quiet, asked)
            self.ask(202, "POST", "/profiles/again/cancel")

    def test_a_soak_is_bounded(self):
        self.register("soaked")
        made = self.create("soaked", soakSeconds=60).json
        self.assertEqual(made["soakSeconds"], 60)
        self.ask(202, "POST", "/profiles/soaked/cancel")
        bad = self.ask(400, "POST", "/profiles", {"soakSeconds": 86400})
        self.assertIn("/soakSeconds", self.pointers(bad))

    def test_cancelling_a_profile(self):
        self.register("cancelled")
        self.create("cancelled", budgetSeconds=600)
        self.ask(202, "POST", "/profiles/cancelled/cancel")
        self.assertEqual(self.events("cancelled")[-1]["event"], "done")
        self.assertEqual(self.ask(200, "GET", "/profiles/cancelled").json["state"], "Canceled")

    def test_what_if_needs_an_answer_to_start_from(self):
        self.ask(404, "POST", "/profiles/nothing/what-if", {})
        self.register("unanswered")
        self.create("unanswered", budgetSeconds=600)
        self.ask(409, "POST", "/profiles/unanswered/what-if", {})
        self.ask(202, "POST", "/profiles/unanswered/cancel")

    def test_bad_profiles(self):
        bad = self.ask(400, "POST", "/profiles", {
            "modelIds": ["none"], "inputDatasetId": 1, "x": 1,
            "objective": {"concurrency": 1, "requestsPerSecond": 2}})
        self.assertEqual(self.pointers(bad),
                         ["/inputDatasetId", "/modelIds/0", "/objective/requestsPerSecond", "/x"])
        unknown = self.ask(400, "POST", "/profiles",
                           {"modelIds": ["none"], "inputDatasetId": "none"})
        self.assertIn("/modelIds/0", self.pointers(unknown))
        self.ask(400, "POST", "/profiles", "{", JSON)
        self.ask(415, "POST", "/profiles", "{}", TEXT)
        self.ask(400, "GET", "/profiles?state=Running&modelId=-")
        self.ask(400, "GET", "/profiles/p/samples?from=5&to=1&maxPoints=x")
        self.ask(400, "GET", "/profiles/p/events", headers={"Last-Event-ID": "x"})

    def test_a_load_that_is_not_given_is_one_request_at_a_time(self):
        self.register("one")
        made = self.create("one", objective={"latencyInMs": {"p95": 5000}}).json
        self.assertEqual(made["objective"]["concurrency"], 1)
        self.ask(202, "POST", "/profiles/one/cancel")

    def test_a_rate_excludes_a_concurrency_and_says_how_it_arrives(self):
        for arrivals in ("poisson", "constant"):
            with self.subTest(arrivals=arrivals):
                self.register(f"rate-{arrivals}")
                made = self.create(f"rate-{arrivals}",
                                   objective={"requestsPerSecond": 5, "arrivals": arrivals}).json
                self.assertEqual(made["objective"]["requestsPerSecond"], 5)
                self.assertEqual(made["objective"]["arrivals"], arrivals)
                self.assertIsNone(made["objective"]["concurrency"])
                self.ask(202, "POST", f"/profiles/{made['name']}/cancel")
        self.register("rate-in-bursts")
        bursts = {"gamma": {"cv": 2}}
        made = self.create("rate-in-bursts",
                           objective={"requestsPerSecond": 5, "arrivals": bursts}).json
        self.assertEqual(made["objective"]["arrivals"], bursts)
        self.ask(202, "POST", f"/profiles/{made['name']}/cancel")
        for objective in ({"arrivals": "poisson"}, {"requestsPerSecond": 5, "arrivals": "bursts"}):
            bad = self.ask(400, "POST", "/profiles", {"objective": objective})
            self.assertEqual(self.pointers(bad),
                             ["/inputDatasetId", "/modelIds", "/objective/arrivals"])

    def test_a_rate_comes_as_recorded(self):
        self.register("as-recorded")
        self.ask(201, "POST", "/datasets?name=times", "0.5\n1\n1\n3.5\n", TEXT)
        recorded = {"trace": "times"}
        made = self.create("as-recorded", objective={"arrivals": recorded}).json
        self.assertEqual(made["objective"]["arrivals"], {"trace": "times:1"})
        self.assertEqual(made["objective"]["requestsPerSecond"], 1)
        self.ask(202, "POST", "/profiles/as-recorded/cancel")
        for trace in ("nothing", "as-recorded"):
            body = {"modelIds": ["as-recorded"], "inputDatasetId": "as-recorded",
                    "inferenceConfig": IMAGE, "objective": {"arrivals": {"trace": trace}}}
            bad = self.ask(400, "POST", "/profiles", body)
            self.assertEqual(self.pointers(bad), ["/objective/arrivals/trace"])

    def test_connections_are_of_three_kinds(self):
        for connections in ("keepAlive", "perRequest", "both"):
            with self.subTest(connections=connections):
                self.register(f"by-{connections}")
                made = self.create(f"by-{connections}", objective={"connections": connections}).json
                self.assertEqual(made["objective"]["connections"], connections)
                self.ask(202, "POST", f"/profiles/{made['name']}/cancel")
        bad = self.ask(400, "POST", "/profiles", {"objective": {"connections": "many"}})
        self.assertEqual(self.pointers(bad),
                         ["/inputDatasetId", "/modelIds", "/objective/connections"])

    def test_a_config_is_needed_from_somewhere(self):
        self.register("bare")
        response = self.ask(400, "POST", "/profiles", {"modelIds": ["bare"],
                                                       "inputDatasetId": "bare"})
        self.assertEqual(self.pointers(response), ["/inferenceConfig"])

    def test_a_profile_takes_device_traces_that_are_captures(self):
        self.register("traced")
        self.create("traced", inferenceConfig={**IMAGE, "profilerPort": 6000}, budgetSeconds=300,
                    objective={"concurrency": 2})
        self.events("traced")
        profile = self.ask(200, "GET", "/profiles/traced").json
        self.assertEqual([capture["load"] for capture in profile["captures"]],
                         ["alone", "objective"], profile["warnings"])
        capture = profile["captures"][0]
        self.assertGreater(capture["during"]["rows"], 0)
        self.assertEqual(self.ask(200, "GET", f"/captures/{capture['id']}").json["eventCount"],
                         capture["eventCount"])
        self.ask(200, "GET", f"/captures/{capture['id']}/tools/overview_page")
        self.ask(409, "DELETE", f"/captures/{capture['id']}")
        names = [item["name"] for item
                 in self.ask(200, "GET", "/profiles/traced/artifacts").json["value"]]
        self.assertLessEqual({"alone.xplane.pb", "objective.xplane.pb"}, set(names))
        self.ask(204, "DELETE", "/profiles/traced")
        self.ask(404, "GET", f"/captures/{capture['id']}")

    def test_a_profiler_is_not_at_the_port_of_the_rows(self):
        self.register("ports")
        for config in ({**IMAGE, "profilerPort": 8080}, {**IMAGE, "port": 6000, "profilerPort": 6000},
                       {**IMAGE, "profilerPort": 0}, {**IMAGE, "profilerPort": 65536}):
            with self.subTest(config=config):
                response = self.ask(400, "POST", "/profiles", {
                    "modelIds": ["ports"], "inputDatasetId": "ports", "inferenceConfig": config})
                self.assertEqual(self.pointers(response), ["/inferenceConfig/profilerPort"])

    def test_what_comes_later_is_not_available(self):
        self.register("later")
        base = {"modelIds": ["later"], "inputDatasetId": "later", "inferenceConfig": IMAGE}
        for more in [{"accelerator": {"type": "gpu"}},
                     {"accelerator": {"type": "tpu", "count": 4}}]:
            with self.subTest(more=more):
                response = self.ask(501, "POST", "/profiles", {**base, **more}).json
                self.assertEqual(response["type"], "urn:mlprof:error:notAvailable")
        self.ask(501, "GET", "/profiles/p/report")
