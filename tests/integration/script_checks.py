"""What the scripts of azure/ must find, whichever package they ran on."""

import json


def check_tags(test, tags, answer):
    """The model was tagged with the answer, and kept what it had."""
    test.assertEqual(sorted(tags), ["area", "requestedCpu", "requestedMemoryInGb"])
    test.assertEqual(float(tags["requestedCpu"]), answer["requestedCpu"])
    test.assertEqual(float(tags["requestedMemoryInGb"]), answer["requestedMemoryInGb"])


def check_registry(test, result):
    test.assertEqual(result["versions"], [1, 2])
    test.assertEqual((result["newest"], result["byVersion"]), ("parts:2", "parts:1"))
    test.assertEqual(result["byTag"], ["parts:1"])
    test.assertEqual(result["byKey"], ["parts:1", "parts:2"])
    test.assertEqual(result["byName"], ["parts:1", "parts:2"])
    test.assertEqual(result["changed"], [{"stage": "test", "more": "yes"},
                                         {"origin": "script", "accuracy": "0.93"}])
    test.assertEqual(result["updated"], [{"only": "this"}, "changed"])
    test.assertEqual(result["downloaded"], ["parts/a.txt", "parts/deep/b.txt"])
    test.assertEqual(result["content"], "b")
    test.assertTrue(result["bigIsWhole"])
    test.assertIn("ModelNotFound", result["deleted"])
    test.assertIn("ModelNotFound", result["unknownModel"])
    test.assertEqual((result["datasetVersion"], result["datasetById"]), (1, "rows"))
    test.assertIn("already a dataset registered under name", result["taken"])
    test.assertIn("Cannot find dataset registered with name", result["unknownDataset"])


def check_outcomes(test, result):
    failed = result["initRaises"]
    test.assertEqual(failed["details"]["state"], "Failed")
    test.assertIn("boom in init", json.dumps(failed["details"]["error"]))
    test.assertEqual(sum("failed with the following error" in text for text in failed["warned"]), 1)

    # Without an environment or a folder: the same script was found and run.
    test.assertEqual(result["bare"]["details"]["state"], "Failed")
    test.assertIn("boom in init", json.dumps(result["bare"]["details"]["error"]))

    partly = result["rowFails"]
    test.assertEqual(partly["details"]["state"], "Succeeded", partly)
    test.assertEqual(partly["details"]["error"]["code"], "NotVerified")
    test.assertLess(partly["details"]["successRate"], 100)
    test.assertGreater(partly["details"]["recommendedCpu"], 0)
    test.assertTrue(any("encountered issues" in text for text in partly["warned"]))

    asked = result["everything"]
    test.assertEqual(asked["details"]["state"], "Succeeded", asked)
    test.assertEqual((asked["details"]["requestedCpu"], asked["details"]["requestedMemoryInGB"]),
                     (1.0, 0.5))
    test.assertLessEqual(asked["details"]["recommendedCpu"], 1.0)
    test.assertEqual(asked["details"]["description"], "all of it")
    test.assertEqual([id.partition(":")[0] for id in asked["modelIds"]], ["one", "two"])
    test.assertTrue(all(outcome["same"] for name, outcome in result.items() if name != "refused"))
