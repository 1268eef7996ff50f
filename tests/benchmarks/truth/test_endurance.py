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


def reset():
    return probe.Run(1, "connection reset", 0.1, False, 0)


class EnduranceTest(unittest.TestCase):
    def prolonged(self, needs_mib, target=TARGET):
        """`needs_mib`: of each container in turn; of all that follow the last one's."""
        needed = list(needs_mib)

        def fresh(_place, _target, cpu, memory, **how):
            self.assertEqual(cpu, 1.0)
            self.assertGreaterEqual(how["requests"], 3000)
            self.assertGreaterEqual(how["longest"], 30)
            need = needed.pop(0) if len(needed) > 1 else needed[0]
            return run(killed=memory < need * MIB)

        with mock.patch.object(probe, "fresh", side_effect=fresh):
            return endurance.prolong(None, target, TRUE, lambda _: None)

    def test_what_lasts_in_every_container_stays_as_it_was_found(self):
        true = self.prolonged([300])
        self.assertEqual(true["memoryInBytes"], 304 * MIB)
        self.assertEqual(true["memoryIntervalInBytes"], [304 * MIB, 336 * MIB])
        self.assertEqual(true["lasted"], {"containers": 3, "requests": 9000,
                                          "beforeInBytes": 304 * MIB, "tried": {"304": "held"}})

    def test_memory_is_raised_until_no_container_is_killed(self):
        true = self.prolonged([300, 300, 340])
        self.assertEqual(true["memoryInBytes"], 352 * MIB)
        self.assertEqual(true["memoryIntervalInBytes"], [352 * MIB] * 2)
        self.assertTrue(true["confirmed"])
        self.assertEqual(true["lasted"]["containers"], 30)
        self.assertEqual(true["lasted"]["tried"],
                         {"304": "OOM", "320": "OOM", "336": "OOM", "352": "held"})

    def after(self, runs):
        with mock.patch.object(probe, "fresh", side_effect=runs):
            return endurance.prolong(None, TARGET, TRUE, lambda _: None)

    def test_a_failure_without_a_kill_counts_where_it_comes_twice_and_never_raises_memory(self):
        once = self.after([reset(), run(), run(), run()])
        self.assertEqual((once["memoryInBytes"], once["confirmed"]), (304 * MIB, True))
        twice = self.after([run(), reset(), reset()])
        self.assertEqual((twice["memoryInBytes"], twice["confirmed"]), (304 * MIB, False))
        self.assertEqual(twice["lasted"]["tried"], {"304": "connection reset"})

    def test_chance_is_looked_for_in_more_containers_once_one_was_killed(self):
        seldom = [310, *[300] * 5, 400, 300]
        self.assertEqual(self.prolonged(seldom)["memoryInBytes"], 336 * MIB)

    def test_chance_is_looked_for_at_once_where_workers_are_replaced(self):
        replaces = targets.Target("t", "t", options=("--max-requests", 50))
        self.assertFalse(endurance.is_known(replaces, self.prolonged([300])))
        self.assertEqual(self.prolonged([300], replaces)["lasted"]["containers"], 30)

    def test_thirty_are_asked_where_one_was_killed_once(self):
        raised = self.prolonged([300, 300, 340])
        raised["lasted"]["containers"] = 10  # as it was asked before
        self.assertFalse(endurance.is_known(TARGET, raised))
        with mock.patch.object(probe, "fresh", return_value=run()):
            again = endurance.prolong(None, TARGET, raised, lambda _: None)
        self.assertEqual(again["lasted"]["containers"], 30)
        self.assertEqual(again["lasted"]["beforeInBytes"], 304 * MIB)
        self.assertEqual(again["lasted"]["tried"]["304"], "OOM")

    def test_it_gives_up_where_no_memory_lasts(self):
        self.assertFalse(self.prolonged([100_000])["confirmed"])

    def test_is_not_asked_of_one_that_leaks_or_fails_or_is_in_doubt_or_was_asked(self):
        leaking = targets.Target("t", "t", grows=True)
        for target, true, known in ((TARGET, TRUE, False), (leaking, TRUE, True),
                                    (TARGET, {"error": "no start"}, True),
                                    (TARGET, TRUE | {"confirmed": False}, True),
                                    (TARGET, self.prolonged([300]), True)):
            self.assertEqual(endurance.is_known(target, true), known)


if __name__ == "__main__":
    unittest.main()
