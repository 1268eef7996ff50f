"""How an oracle's memory is held against as many requests as mlprof gives its word on."""

import unittest
from unittest import mock

import endurance
import judgement
import probe
import targets

MIB = 1 << 20
TARGET = targets.Target("t", "t")
TRUE = {"cpu": 1.0, "memoryInBytes": 304 * MIB, "memoryIntervalInBytes": [304 * MIB, 336 * MIB],
        "readySeconds": 0.1, "confirmed": True}


def run(killed=False):
    return probe.Run(0, "", 0.1, killed, 0, parts={
        "keepAlive": judgement.Part(3000, 100.0, 10.0, 11.0, 12.0)})


class EnduranceTest(unittest.TestCase):
    def prolonged(self, needs_mib, target=TARGET):
        """`needs_mib`: of each container in turn; of all that follow the last one's."""
        needed = list(needs_mib)

        def fresh(_place, _target, cpu, memory, **_how):
            self.assertEqual(cpu, 1.0)
            need = needed.pop(0) if len(needed) > 1 else needed[0]
            return run(killed=memory < need * MIB)

        with mock.patch.object(probe, "fresh", side_effect=fresh):
            return endurance.prolong(None, target, TRUE, lambda _: None)

    def test_what_lasts_in_every_container_is_the_need_without_doubt(self):
        true = self.prolonged([300])
        self.assertEqual(true["memoryInBytes"], 304 * MIB)
        self.assertEqual(true["memoryIntervalInBytes"], [304 * MIB, 304 * MIB])
        self.assertEqual(true["lasted"], {"containers": 3, "requests": 9000,
                                          "beforeInBytes": 304 * MIB})

    def test_memory_is_raised_until_no_container_is_killed(self):
        true = self.prolonged([300, 300, 340])
        self.assertEqual(true["memoryInBytes"], 352 * MIB)
        self.assertTrue(true["confirmed"])
        self.assertEqual(true["lasted"]["containers"], 10)

    def test_chance_is_looked_for_in_more_containers_once_one_was_killed(self):
        seldom = [310, *[300] * 5, 400, 300]
        self.assertEqual(self.prolonged(seldom)["memoryInBytes"], 336 * MIB)

    def test_chance_is_looked_for_at_once_where_workers_are_replaced(self):
        replaces = targets.Target("t", "t", options=("--max-requests", 50))
        self.assertFalse(endurance.is_known(replaces, self.prolonged([300])))
        self.assertEqual(self.prolonged([300], replaces)["lasted"]["containers"], 10)

    def test_it_gives_up_where_no_memory_lasts(self):
        self.assertFalse(self.prolonged([100_000])["confirmed"])

    def test_is_not_asked_of_one_that_leaks_or_fails_or_was_asked(self):
        leaking = targets.Target("t", "t", grows=True)
        for target, true, known in ((TARGET, TRUE, False), (leaking, TRUE, True),
                                    (TARGET, {"error": "no start"}, True),
                                    (TARGET, self.prolonged([300]), True)):
            self.assertEqual(endurance.is_known(target, true), known)


if __name__ == "__main__":
    unittest.main()
