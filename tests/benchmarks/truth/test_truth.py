"""The search of the truth benchmark's oracle, and its targets."""

import unittest
from unittest import mock

import judgement
import oracle
import probe
import targets


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


def served(p95_ms, pages=0):
    part = judgement.Part(100, 1000 / p95_ms, p95_ms, p95_ms, p95_ms, pages_read_back=pages)
    return probe.Run(0, "", 0.1, False, 0, parts={"keepAlive": part}, load_cpu_seconds=0.5)


class TogetherTest(unittest.TestCase):
    def needs(self, fresh):
        without = oracle.References([served(5.0)] * 3)
        with mock.patch.object(probe, "fresh", fresh):
            cpu, memory, _, confirmed = oracle._together(
                None, targets.Target("t", "t"), without, [10, 10, 10], [7, 7, 7], lambda _: None)
        self.assertTrue(confirmed)
        return cpu[0], memory[0]

    def test_memory_is_raised_where_pages_are_read_back_under_the_cpu_limit_alone(self):
        def fresh(_, __, cpu, memory, **___):
            thrashes = cpu is not None and memory is not None and memory < 9 * oracle.GRID_MEMORY
            return served(120.0, pages=5000) if thrashes else served(5.0)

        self.assertEqual(self.needs(fresh), (10, 9))

    def test_cpu_is_raised_where_it_is_slow_and_lacks_no_memory(self):
        def fresh(_, __, cpu, ___, **____):
            return served(8.0) if cpu is not None and cpu < 1.2 else served(5.0)

        self.assertEqual(self.needs(fresh), (12, 7))


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
