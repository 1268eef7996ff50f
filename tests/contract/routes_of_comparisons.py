"""Comparisons of variants, from their creation to their end; run by test_routes."""

import json
import pathlib

import jsonschema

from routes_case import IMAGE, JSON, TEXT, RoutesCase

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "api/variants.schema.json").read_text(encoding="utf-8"))


class ComparisonsTest(RoutesCase):
    def compare(self, name, variants, status=202, **more):
        body = {"name": name, "modelIds": [name], "inputDatasetId": name, "inferenceConfig": IMAGE,
                "variants": variants, **more}
        return self.ask(status, "POST", "/comparisons", body)

    def await_end(self, comparison):
        for variant in comparison["variants"]:
            self.events(variant["profileId"])

    def details(self, response):
        return {error["pointer"]: error["detail"] for error in response.json["errors"]}

    def test_a_comparison_from_its_creation_to_its_end(self):
        self.register("sides")
        variants = [{"name": "one"},
                    {"name": "two", "environmentVariables": {"THREADS": "2"}, "args": ["--fast"]},
                    {"name": "three", "objective": {"concurrency": 2}, "image": "other:1"}]
        created = self.compare("sides", variants, seed=7, budgetSeconds=60,
                               objective={"latencyInMs": {"p95": 5000}},
                               prices={"perCoreHour": 0.04, "perGibHour": 0.004})
        self.assertEqual(created.headers["Location"], "/comparisons/sides")
        made = created.json
        self.assertEqual((made["modelIds"], made["inputDatasetId"]), (["sides:1"], "sides:1"))
        self.assertIn(made["state"], ("Queued", "Running"))
        self.assertEqual([v["profile"] for v in made["variants"]],
                         ["sides.one", "sides.two", "sides.three"])
        self.ask(409, "DELETE", "/comparisons/sides")
        self.compare("sides", variants, 409)
        self.await_end(made)

        ended = self.ask(200, "GET", "/comparisons/sides").json
        self.assertEqual(ended["state"], "Succeeded", ended)
        self.assertEqual(self.ask(200, "GET", f"/comparisons/{made['id']}").json, ended)
        listed = self.ask(200, "GET", "/comparisons?top=1").json["value"]
        self.assertEqual([item["name"] for item in listed], ["sides"])
        self.check_profiles(ended)
        self.check_ranks(ended)
        self.ask(409, "POST", "/comparisons/sides/cancel")
        # One that is deleted leaves its place.
        self.ask(204, "DELETE", "/profiles/sides.one")
        left = self.ask(200, "GET", "/comparisons/sides").json["variants"]
        self.assertEqual(left[0]["outcome"], "deleted")
        self.ask(204, "DELETE", "/comparisons/sides")
        self.ask(404, "GET", "/profiles/sides.two")
        for method, part in [("GET", ""), ("DELETE", ""), ("POST", "/cancel")]:
            self.ask(404, method, f"/comparisons/sides{part}")

    def check_profiles(self, ended):
        """Each is the comparison's question with what is different in it."""
        one, two, three = (self.ask(200, "GET", f"/profiles/{v['profile']}").json
                           for v in ended["variants"])
        for profile, variant in zip((one, two, three), ended["variants"]):
            self.assertEqual(profile["id"], variant["profileId"])
            self.assertEqual(profile["seed"], 7)
        self.assertNotIn("environmentVariables", one["inferenceConfig"])
        self.assertEqual(two["inferenceConfig"]["environmentVariables"], {"THREADS": "2"})
        self.assertEqual(two["inferenceConfig"]["args"], ["--fast"])
        self.assertEqual(two["inferenceConfig"]["writablePaths"], IMAGE["writablePaths"])
        self.assertEqual(one["objective"]["latencyInMs"], {"p95": 5000})
        self.assertEqual((three["objective"]["concurrency"], three["objective"]["latencyInMs"]),
                         (2, {}))
        self.assertEqual(three["inferenceConfig"]["image"], "other:1")
        self.assertEqual(one["budgetSeconds"], 20)
        self.assertGreaterEqual(two["budgetSeconds"], 20)

    def check_ranks(self, ended):
        answered = [v for v in ended["variants"] if v["figures"]]
        self.assertTrue(answered, ended)
        for variant in answered:
            figures = variant["figures"]
            self.assertAlmostEqual(
                figures["costPerReplicaHour"],
                0.04 * figures["requestedCpu"] + 0.004 * figures["requestedMemoryInGb"])
        ranks = [v["rank"] for v in ended["variants"] if v["rank"]]
        self.assertEqual(sorted(ranks), list(range(1, len(ranks) + 1)))
        proven = [v for v in answered if v["outcome"] == "proven"]
        if proven:
            self.assertEqual([v["name"] for v in proven if v["rank"] == 1],
                             [ended["recommendation"]["variant"]])
        else:
            self.assertIsNone(ended["recommendation"])

    def test_a_comparison_is_cancelled_with_all_its_profiles(self):
        self.register("stopped")
        made = self.compare("stopped", [{"name": "a"}, {"name": "b", "args": ["x"]}]).json
        self.ask(202, "POST", "/comparisons/stopped/cancel")
        self.await_end(made)
        ended = self.ask(200, "GET", "/comparisons/stopped").json
        self.assertEqual(ended["state"], "Canceled")
        self.assertEqual({v["outcome"] for v in ended["variants"]}, {"canceled"})
        self.assertIsNone(ended["budgetSeconds"])
        # With the last of its profiles it goes.
        for variant in ended["variants"]:
            self.ask(204, "DELETE", f"/profiles/{variant['profile']}")
        self.ask(404, "GET", "/comparisons/stopped")

    def test_a_retry_gets_the_comparison_that_it_made(self):
        self.register("again-compared")
        body = {"modelIds": ["again-compared"], "inputDatasetId": "again-compared",
                "inferenceConfig": IMAGE, "variants": [{"name": "a"}, {"name": "b", "args": ["x"]}]}
        key = {"Idempotency-Key": "compare-once"}
        made = self.ask(202, "POST", "/comparisons", body, key).json
        self.assertEqual(self.ask(202, "POST", "/comparisons", body, key).json["id"], made["id"])
        self.assertTrue(made["name"].startswith("comparison-"))
        self.ask(422, "POST", "/comparisons", {**body, "seed": 2}, key)
        self.ask(202, "POST", f"/comparisons/{made['id']}/cancel")
        self.await_end(made)
        self.ask(204, "DELETE", f"/comparisons/{made['id']}")
        # With what it made the key has gone.
        more = self.ask(202, "POST", "/comparisons", {**body, "seed": 2}, key).json
        self.ask(202, "POST", f"/comparisons/{more['id']}/cancel")

    def test_a_typo_is_named_with_what_is_allowed(self):
        self.register("typo")
        bad = self.compare("typo", [{"name": "a"}, {"name": "b"}, {"name": "c", "comand": ["x"]}],
                           400)
        self.assertEqual(self.details(bad), {
            "/variants/2/comand": "is not a known field; allowed are args, command, "
                                  "environmentVariables, image, inferenceConfig, name, objective"})

    def test_every_bad_field_is_named(self):
        self.register("bad-sides")
        bad = self.compare("bad-sides", [
            {"name": "a", "environmentVariables": {"A=": "1"}, "image": "i:1",
             "inferenceConfig": IMAGE},
            {"name": "a", "objective": {"concurrency": 0}}, {"args": [1]}],
            400, budgetSeconds=20, rankBy="speed", prices={"perCoreHour": -1}, x=1)
        self.assertEqual(self.pointers(bad), sorted([
            "/budgetSeconds", "/prices/perCoreHour", "/rankBy", "/variants/0/environmentVariables/A=",
            "/variants/0/image", "/variants/1/name", "/variants/1/objective/concurrency",
            "/variants/2/args/0", "/variants/2/name", "/x"]))
        self.assertIn("/variants/0", self.details(bad)["/variants/1/name"])
        for variants in ([], [{"name": "alone"}], [{"name": str(i)} for i in range(51)], "a"):
            self.assertEqual(self.pointers(self.compare("bad-sides", variants, 400)), ["/variants"])
        self.ask(400, "POST", "/comparisons", "{", JSON)
        self.ask(415, "POST", "/comparisons", "{}", TEXT)
        self.ask(400, "GET", "/comparisons?cursor=x")
        self.ask(400, "GET", "/comparisons/x?what=1")

    def test_variants_that_ask_the_same_are_refused_with_both(self):
        self.register("alike")
        bad = self.compare("alike", [
            {"name": "a", "environmentVariables": {"T": "1"}}, {"name": "b"},
            {"name": "c", "inferenceConfig": {**IMAGE, "environmentVariables": {"T": "1"}}}], 400)
        self.assertEqual(self.pointers(bad), ["/variants/0", "/variants/2"])
        self.assertIn("/variants/0", self.details(bad)["/variants/2"])

    def test_what_is_wrong_within_a_variant_is_found_there(self):
        self.register("within")
        script = {"entryScript": "score.py", "sourceId": "sha256:" + "0" * 64}
        bad = self.compare("within", [{"name": "a"}, {"name": "b", "inferenceConfig": script}], 400)
        self.assertEqual(self.pointers(bad), ["/variants/1/inferenceConfig/sourceId"])
        bad = self.compare("within", [{"name": "a"}, {"name": "b", "command": ["x"]}], 400,
                           inferenceConfig=script)
        self.assertEqual(self.pointers(bad),
                         ["/inferenceConfig/sourceId", "/variants/1/command"])
        bad = self.compare("within", [{"name": "a"}, {"name": "b", "args": ["x"]}], 400,
                           modelIds=["nothing"])
        self.assertEqual(self.pointers(bad), ["/modelIds/0"])
        self.assertEqual(self.ask(200, "GET", "/profiles?modelId=within").json["value"], [])

    def test_what_comes_later_is_not_available(self):
        self.register("later-compared")
        self.compare("later-compared", [{"name": "a"}, {"name": "b", "args": ["x"]}], 501,
                     accelerator={"type": "gpu"})

    def test_a_profile_of_the_name_keeps_all_of_them_out(self):
        self.register("taken")
        body = {"name": "taken.b", "modelIds": ["taken"], "inputDatasetId": "taken",
                "inferenceConfig": IMAGE}
        self.ask(202, "POST", "/profiles", body)
        self.compare("taken", [{"name": "a"}, {"name": "b", "args": ["x"]}], 409)
        self.ask(404, "GET", "/profiles/taken.a")
        self.ask(202, "POST", "/profiles/taken.b/cancel")

    def test_the_schema_of_the_file_takes_what_the_route_takes(self):
        jsonschema.Draft202012Validator.check_schema(SCHEMA)
        validator = jsonschema.Draft202012Validator(SCHEMA)
        fields = set(SCHEMA["$defs"]["variant"]["properties"])
        document = self.server.document.tree["components"]["schemas"]
        self.assertEqual(fields, set(document["VariantFields"]["properties"]))
        shared = set(SCHEMA["properties"]) - {"$schema"}
        self.assertLess(shared, set(document["ComparisonRequest"]["properties"]))
        self.assertFalse(validator.is_valid({"variants": [{"name": "a"}, {"name": "b", "x": 1}]}))
        for file in ROOT.glob("examples/*/variants.json"):
            with self.subTest(file=file):
                validator.validate(json.loads(file.read_text(encoding="utf-8")))
