"""What the rules of other recommenders make of a trace."""

import unittest

import rules

MIB = 1 << 20


def profile(cpu, memory):
    """Ten seconds of load without limits, then a probe that must not count."""
    ceiling = {"cpu": 2.0, "memoryInBytes": 4096 * MIB}
    return {"startedTime": "2026-01-01T00:00:00.000Z",
            "trials": [
                {"purpose": "load", "limits": ceiling, "seconds": 10,
                 "startedTime": "2026-01-01T00:00:00.000Z"},
                {"purpose": "load", "limits": {**ceiling, "cpu": 0.5}, "seconds": 10,
                 "startedTime": "2026-01-01T00:00:10.500Z"}],
            "samples": {"cpuCores": [(at + 0.5, value) for at, value in enumerate(cpu)] + [(15, 9)],
                        "memoryInBytes": [(at + 0.5, value * MIB)
                                          for at, value in enumerate(memory)] + [(15, 9e9)]}}


class RulesTest(unittest.TestCase):
    def test_takes_quantiles_and_peaks_of_the_load_without_limits(self):
        cpu = [0.1 * n for n in range(1, 9)] + [0.86, 1.0]
        found = rules.answers(profile(cpu, [100] * 9 + [400]))
        said = {who: (limit["cpu"], limit["memoryInBytes"] // MIB) for who, limit in found.items()}
        # The buckets of 0.86 cores and 400 MiB end at 0.903 and 424.4, × 1.15: 1.039 and 488. Of
        # the values themselves, 0.989 and 460, it would say 1.0 and 464.
        self.assertEqual(said["VPA"], (1.1, 496))
        self.assertEqual(said["KRR"], (1.0, 464))
        self.assertEqual(said["Autopilot"], (1.2, 464))
        # 400 MiB and 20% are less than 400 and 315 MiB.
        self.assertEqual(said["Kruize"], (1.0, 480))
        self.assertEqual(said["max_ram"], (None, 400))
        self.assertEqual([who for who, limit in found.items() if not limit["cpuIsLimit"]],
                         ["KRR", "max_ram"])

    def test_a_bucket_ends_above_its_values_and_is_5_percent_wider_than_the_one_below(self):
        self.assertAlmostEqual(rules._bucket_end(0.0, 0.01), 0.01)
        self.assertAlmostEqual(rules._bucket_end(0.0101, 0.01), 0.0205)
        self.assertAlmostEqual(rules._bucket_end(0.021, 0.01), 0.031525)

    def test_kruize_takes_the_most_cpu_and_no_more_memory_than_it_rises(self):
        cpu, memory = rules._kruize([0.1] * 99 + [0.9], [390, 400])
        self.assertEqual((cpu, memory), (0.9, 410.5))

    def test_counts_mapped_files_as_used_and_keeps_the_floors(self):
        small = profile([0.001] * 10, [20] * 10)
        small["samples"]["mappedFileInBytes"] = [
            (at, 16 * MIB) for at, _ in small["samples"]["memoryInBytes"]]
        found = rules.answers(small)
        self.assertEqual(found["max_ram"]["memoryInBytes"], 48 * MIB)
        self.assertEqual(found["VPA"]["memoryInBytes"], 256 * MIB)
        self.assertEqual(found["KRR"]["memoryInBytes"], 96 * MIB)

    def test_reads_memory_once_a_second(self):
        one = profile([1.0] * 10, [100] * 10)
        one["samples"]["memoryInBytes"].insert(1, (0.7, 500 * MIB))
        self.assertEqual(rules.answers(one)["max_ram"]["memoryInBytes"], 112 * MIB)

    def test_says_nothing_without_a_trace(self):
        self.assertEqual(rules.answers({"trials": []}), {})


if __name__ == "__main__":
    unittest.main()
