"""The parts of the truth benchmark that decide, without containers."""

import dataclasses
import tempfile
import unittest

import kept
import oracle
import report
import rules
import targets

MIB = 1 << 20


class SmallestTest(unittest.TestCase):
    def test_finds_every_need_from_every_guess(self):
        for need in range(1, 21):
            for guess in range(1, 20):
                asked = []
                found = oracle._smallest(0, 20, guess,
                                         lambda at: asked.append(at) or at >= need)
                self.assertEqual(found, need)
                self.assertLessEqual(len(asked), 10)
                self.assertEqual(len(asked), len(set(asked)))

    def test_asks_twice_where_the_guess_is_right(self):
        asked = []
        oracle._smallest(0, 20, 7, lambda at: asked.append(at) or at >= 7)
        self.assertEqual(asked, [7, 6])


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
        found = rules.answers(profile([0.1 * n for n in range(1, 11)], [100] * 9 + [200]))
        said = {who: (limit["cpu"], limit["memoryInBytes"] // MIB) for who, limit in found.items()}
        # VPA: the buckets above 0.9 and 200 MiB end at 0.905 and 204 MiB, × 1.15, and 250 at least.
        self.assertEqual(said["VPA"], (1.1, 256))
        self.assertEqual(said["KRR"], (1.0, 240))
        self.assertEqual(said["Autopilot"], (1.2, 240))
        # 200 MiB and 20% are less than 200 and 105 MiB.
        self.assertEqual(said["Kruize"], (1.0, 240))
        self.assertEqual(said["max_ram"], (None, 208))
        self.assertEqual([who for who, limit in found.items() if not limit["cpuIsLimit"]],
                         ["KRR", "max_ram"])

    def test_counts_mapped_files_as_used_and_keeps_the_floors(self):
        small = profile([0.001] * 10, [20] * 10)
        small["samples"]["mappedFileInBytes"] = [
            (at, 8 * MIB) for at, _ in small["samples"]["memoryInBytes"]]
        found = rules.answers(small)
        self.assertEqual(found["max_ram"]["memoryInBytes"], 32 * MIB)
        self.assertEqual(found["VPA"]["memoryInBytes"], 256 * MIB)
        self.assertEqual(found["KRR"]["memoryInBytes"], 96 * MIB)

    def test_reads_memory_once_a_second(self):
        one = profile([1.0] * 10, [100] * 10)
        one["samples"]["memoryInBytes"].insert(1, (0.7, 500 * MIB))
        self.assertEqual(rules.answers(one)["max_ram"]["memoryInBytes"], 112 * MIB)

    def test_says_nothing_without_a_trace(self):
        self.assertEqual(rules.answers({"trials": []}), {})


def entry(true_mib, mib, cpu=1.0, failures=0, grows=False):
    return {"memoryInBytes": true_mib * MIB, "cpu": 1.0, "grows": grows, "by": {"mlprof": {
        "slack": mib / true_mib - 1, "excessInBytes": (mib - true_mib) * MIB,
        "cpuWithinStep": report._within_step(cpu, 1.0), "runs": 3, "failures": failures,
        "oomKills": failures, "misses": 0}}}


class KeptTest(unittest.TestCase):
    MACHINE = {"cpu": "a", "cores": 2, "cgroup": 1}
    TARGET = targets.Target("t", "words of no weight", rows=("burn=1",))

    def values(self, cpu):
        return {"oracle": {"rule": oracle.RULE, "cpu": cpu}, "rules": {}, "checks": {"mlprof": {}},
                "profile": {"state": "Succeeded", "samples": "very many",
                            "recommendation": {"requestedCpu": cpu, "verified": True}}}

    def keep(self, folder, cpu, machine=None):
        kept.keep(self.TARGET, self.values(cpu), folder, machine or self.MACHINE, build="b")

    def test_finds_an_oracle_again_on_such_a_machine_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            self.keep(folder, 1.0)
            found = kept.find(self.TARGET, folder, self.MACHINE)
            self.assertEqual(found["oracle"]["cpu"], 1.0)
            self.assertNotIn("samples", found["profile"])
            self.assertEqual(kept.find(self.TARGET, folder, {**self.MACHINE, "cores": 4}), {})

    def test_finds_none_of_a_target_that_was_changed(self):
        with tempfile.TemporaryDirectory() as folder:
            self.keep(folder, 1.0)
            other = dataclasses.replace(self.TARGET, rows=("burn=2",))
            self.assertEqual(kept.find(other, folder, self.MACHINE), {})
            reworded = dataclasses.replace(self.TARGET, about="other words")
            self.assertNotEqual(kept.find(reworded, folder, self.MACHINE), {})

    def test_keeps_one_entry_a_machine(self):
        with tempfile.TemporaryDirectory() as folder:
            self.keep(folder, 1.0)
            self.keep(folder, 2.0, {**self.MACHINE, "cores": 4})
            self.keep(folder, 1.1)
            self.assertEqual([one["oracle"]["cpu"] for one in kept.entries("t", folder)], [2.0, 1.1])


class ReportTest(unittest.TestCase):
    def test_sums_large_and_small_needs_apart_and_leaves_out_leaks(self):
        total = report.summary([entry(256, 288), entry(400, 400), entry(1000, 1200, cpu=1.2),
                                entry(64, 96, failures=1), entry(512, 5120, grows=True)])
        of = total["mlprof"]
        self.assertAlmostEqual(of["memorySlackMedian"], 0.125)
        self.assertAlmostEqual(of["memorySlackWorst"], 0.2)
        self.assertEqual(of["smallExcessWorstInMib"], 32)
        self.assertAlmostEqual(of["cpuWithinOneStep"], 0.8)
        self.assertEqual((of["failures"], of["runs"]), (1, 15))

    def test_a_step_of_cpu_is_a_tenth_above_one_core(self):
        self.assertTrue(report._within_step(0.4, 0.3))
        self.assertFalse(report._within_step(0.5, 0.3))
        self.assertTrue(report._within_step(2.2, 2.0))


    def test_shows_intervals_and_measures_a_step_from_them(self):
        target = targets.Target("t", "about")
        values = {
            "profile": {"state": "Succeeded", "wallSeconds": 1, "warnings": [],
                        "recommendation": {"verified": True, "requestedCpu": 0.7,
                                           "requestedMemoryInBytes": 64 * MIB}},
            "oracle": {"cpu": 1.0, "cpuInterval": [0.8, 1.0], "memoryInBytes": 48 * MIB,
                       "memoryIntervalInBytes": [48 * MIB, 48 * MIB]},
            "checks": {"mlprof": {"cpu": 0.7, "memoryInBytes": 64 * MIB, "runs": 3, "oomKills": 0,
                                  "errors": 0, "misses": 0}}}
        one = report._entry(target, values)
        self.assertEqual(one["needed"], ("0.8 to 1.0", "48"))
        self.assertTrue(one["by"]["mlprof"]["cpuWithinStep"])


class TargetsTest(unittest.TestCase):
    def test_are_forty_or_more_under_names_of_their_own(self):
        self.assertGreaterEqual(len(targets.ALL), 40)
        self.assertEqual(len({target.name for target in targets.ALL}), len(targets.ALL))

    def test_servers_as_people_run_them_say_what_was_planted(self):
        for target in targets.SERVERS:
            with self.subTest(target=target.name):
                self.assertTrue(target.need_cpu or target.need_memory_mib or target.grows
                                or not target.answerable)
                for least, most in filter(None, (target.need_cpu, target.need_memory_mib)):
                    self.assertLess(least, most)

    def test_workers_are_asked_for_together_and_on_fresh_connections(self):
        by_name = {target.name: target for target in targets.ALL}
        lazy = by_name["workers-4-lazy"]
        self.assertEqual((lazy.workers, lazy.together, lazy.connections), (4, 16, "both"))
        single = by_name["in-flight-8-sleep"]
        self.assertEqual((single.workers, single.together, single.connections),
                         (0, 8, "keepAlive"))


if __name__ == "__main__":
    unittest.main()
