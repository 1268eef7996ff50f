"""What must hold of every answer, whatever the model is."""

GRID_MEMORY = 16 << 20
LEAST_MEMORY = 32 << 20


def check_recommendation(test, profile):
    """A finished profile's numbers are on their grids and agree with each other."""
    test.assertEqual(profile["state"], "Succeeded", profile.get("error"))
    return check_numbers(test, profile)


def check_numbers(test, profile):
    """The numbers of a profile that has an answer, whether or not it has ended."""
    answer = profile["recommendation"]
    cpu = answer["requestedCpu"]
    test.assertAlmostEqual(cpu * 10, round(cpu * 10), 6)
    test.assertGreaterEqual(cpu, 0.1)
    memory = answer["requestedMemoryInBytes"]
    test.assertEqual(memory % GRID_MEMORY, 0)
    test.assertGreaterEqual(memory, LEAST_MEMORY)
    test.assertEqual(answer["requestedMemoryInGb"] * 2**30, memory)
    test.assertEqual(float(answer["tags"]["requestedCpu"]), cpu)
    test.assertEqual(float(answer["tags"]["requestedMemoryInGb"]), answer["requestedMemoryInGb"])
    test.assertTrue(answer["cpu"]["reason"])
    test.assertTrue(answer["memory"]["reason"])
    measured = profile["measurements"]
    test.assertGreater(measured["totalQueries"], 0)
    test.assertEqual(measured["successRate"], 1.0)
    percentiles = (measured.get(f"latencyPercentile{p}InMs") for p in (50, 90, 95, 99, 999))
    latencies = [p for p in percentiles if p is not None]
    test.assertGreaterEqual(len(latencies), 3)
    test.assertEqual(latencies, sorted(latencies))
    return answer


def check_failed(test, profile, code):
    """A failed profile names its cause, what to do, and what was seen."""
    test.assertEqual(profile["state"], "Failed", profile.get("recommendation"))
    error = profile["error"]
    test.assertEqual(error["code"], code, error)
    test.assertTrue(error["message"])
    test.assertTrue(error["advice"])
    return error
