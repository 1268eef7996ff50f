"""The search of the truth benchmark's oracle, and its targets."""

import unittest

import oracle
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
