"""How recommended limits are checked, with a container's runs made up."""

import itertools
import unittest
from unittest import mock

import checks
import in_turn
import judgement
import oracle
import probe
import targets

TARGET = targets.Target("t", "t")
MIB = 1 << 20


def run(p95=20.0, throttled=1.0, **more):
    part = judgement.Part(150, 50.0, 20.0, p95, 30.0, throttled_seconds=throttled)
    return probe.Run(0, "", 0.1, False, 0, parts={"keepAlive": part}, **more)


class ChecksTest(unittest.TestCase):
    def check(self, ample, fresh, answers=None):
        """What comes of mlprof's answer, and how often a container was started without limits.
        `fresh`: each run in turn; the last one again and again."""
        profile = {"recommendation": {"requestedCpu": 1.0, "requestedMemoryInBytes": 64 * MIB}}
        with mock.patch.object(oracle, "ample_runs", return_value=ample) as without, \
                mock.patch.object(probe, "fresh",
                                  side_effect=itertools.chain(fresh, itertools.repeat(fresh[-1]))):
            found = checks.check_all(None, TARGET, profile, answers or {}, 3, lambda _: None)
        return found, without.call_count

    def test_all_are_checked_beside_one_reference_of_now(self):
        other = {"VPA": {"cpu": 2.0, "memoryInBytes": 64 * MIB, "cpuIsLimit": True}}
        found, references = self.check([run(20.0), run(30.0), run(29.0)], [run(31.0)] * 6, other)
        self.assertEqual([found[who]["misses"] for who in ("mlprof", "VPA")], [0, 0])
        self.assertEqual(found["mlprof"]["reference"]["keepAlive"]["p95_ms"], 29.0)
        self.assertEqual(references, 1)

    def test_a_miss_counts_where_most_looks_between_two_without_limits_miss(self):
        slow, fast, dull = run(25.0), run(20.0), run(24.0)
        host_slowed = [slow, *[dull, slow] * 3, dull]
        missed_once_more = [slow, fast, slow, *[dull, slow] * 3, dull]
        missed = [slow, *[fast, slow] * 3, fast]
        for fresh, misses in ((host_slowed, 0), (missed_once_more, 0), (missed, 1)):
            found, _ = self.check([fast], [*fresh, fast, fast])
            self.assertEqual(found["mlprof"]["misses"], misses)

    def test_what_most_looks_in_turn_held_is_told_beside_the_rest(self):
        slow, fast, dull = run(25.0), run(20.0), run(24.0)
        found, _ = self.check([fast], [slow, *[dull, slow] * 3, dull, fast, fast])
        self.assertEqual(found["mlprof"]["outvoted"], ["p95 25.00 ms"])

    def test_looks_count_between_two_whose_requests_cost_alike(self):
        slow, fast = run(25.0), run(20.0, load_cpu_seconds=3.0)
        dear = run(24.0, load_cpu_seconds=3.6)
        # The first look misses while the host changes; beside what it became the others hold.
        found, _ = self.check([fast], [slow, fast, slow, *[dear, slow] * 3, dear, fast])
        self.assertEqual(found["mlprof"]["misses"], 0)
        dear_by_its_limits = run(25.0, load_cpu_seconds=9.0)
        missed = [dear_by_its_limits, *[fast, dear_by_its_limits] * 3, fast]
        found, _ = self.check([fast], missed)
        self.assertEqual(found["mlprof"]["misses"], 1)

    def test_all_looks_count_where_too_few_are_between_two_alike(self):
        fast, dear = run(20.0, load_cpu_seconds=3.0), run(20.0, load_cpu_seconds=3.6)
        slow = run(25.0)
        turns = [one for _ in range(in_turn.MOST_LOOKS) for one in (fast, slow, dear, slow)]
        found, _ = self.check([fast], [slow, *turns[:2 * in_turn.MOST_LOOKS + 1], fast])
        self.assertEqual(found["mlprof"]["misses"], 1)

    def test_beside_a_neighbour_it_is_looked_at_likewise(self):
        krr = {"KRR": {"cpu": 1.0, "memoryInBytes": 64 * MIB, "cpuIsLimit": False}}
        with mock.patch.object(probe, "beside_neighbour", return_value=run(25.0, throttled=0.0)):
            found, _ = self.check([run(20.0)], [run(20.0)], krr)
        self.assertEqual((found["mlprof"]["misses"], found["KRR"]["misses"]), (0, 3))

    def test_one_that_fails_in_turn_has_failed_whatever_the_others_do(self):
        slow, fast = run(25.0), run(20.0)
        killed = probe.Run(0, "", 0.1, True, 0)
        broken = probe.Run(1, "status 500", 0.1, False, 0)
        for failed, kills, errors in ((killed, 1, 0), (broken, 0, 1)):
            found, _ = self.check([fast], [slow, fast, fast, fast, failed, fast, fast])
            # The first look in turn held, the second failed.
            self.assertEqual((found["mlprof"]["oomKills"], found["mlprof"]["errors"]),
                             (kills, errors))

    def test_what_another_rule_decided_is_not_known(self):
        found = {"mlprof": {"rule": checks.RULE, "why": ["p95 25.00 ms"]}, "VPA": {},
                 "KRR": {"rule": checks.SAME_FIRST_LOOK, "why": [], "outvoted": ["p95 25.00 ms"]},
                 "Kruize": {"rule": checks.SAME_FIRST_LOOK, "why": ["p95 25.00 ms"],
                            "outvoted": []},
                 "Autopilot": {"rule": checks.RULE - 1, "why": [], "outvoted": [],
                               "slowByHost": ["p95 25.00 ms"]}}
        self.assertEqual(set(checks.by_this_rule(found)), {"mlprof"})

    def test_mlprofs_check_is_lacking_though_anothers_is_known(self):
        known = {"rule": checks.RULE, "why": [], "outvoted": []}
        vpa = {"VPA": {"cpu": 2.0, "memoryInBytes": 64 * MIB, "cpuIsLimit": True}}
        self.assertEqual(checks.lacking({"control": known}, vpa), (True, vpa))
        self.assertEqual(checks.lacking({"mlprof": known}, vpa), (False, vpa))
        self.assertEqual(checks.lacking({"mlprof": known, "VPA": known}, vpa), (False, {}))

    def test_what_no_rule_had_to_decide_is_known(self):
        found = {"mlprof": {"rule": checks.SAME_FIRST_LOOK, "why": [], "outvoted": []}}
        self.assertEqual(set(checks.by_this_rule(found)), {"mlprof"})

    def test_a_target_that_fails_without_limits_is_not_checked(self):
        failed = probe.Run(1, "status 500", 0.1, False, 0)
        self.assertRaisesRegex(RuntimeError, "status 500", self.check, [run(), failed], [run()])

    def test_what_its_limits_cannot_have_done_is_the_hosts(self):
        fast, slow, throttled = run(20.0), run(25.0, throttled=0.0), run(25.0)
        found, _ = self.check([fast], [slow, fast])
        self.assertEqual((found["mlprof"]["misses"], found["mlprof"]["slowByHost"]),
                         (0, ["p95 25.00 ms"]))
        in_turns = [throttled, fast, throttled, fast, throttled, fast, *[slow, fast] * 3]
        found, _ = self.check([fast], [*in_turns, fast, fast])
        self.assertEqual((found["mlprof"]["misses"], found["mlprof"]["outvoted"]),
                         (0, ["p95 25.00 ms"]))

    def test_a_run_that_the_host_makes_slow_again_and_again_does_not_count(self):
        fast, slow = run(20.0), run(25.0, throttled=0.0)
        found, _ = self.check([fast], [*[slow] * checks.MOST_LOOKS, fast])
        self.assertEqual((found["mlprof"]["runs"], found["mlprof"]["misses"]), (2, 0))
        self.assertEqual(len(found["mlprof"]["slowByHost"]), checks.MOST_LOOKS)

    def test_what_is_many_times_too_slow_counts_at_once(self):
        found, _ = self.check([run(20.0)], [run(120.0, throttled=0.0), run(20.0)])
        self.assertEqual((found["mlprof"]["misses"], found["mlprof"]["why"]), (1, ["p95 120.00 ms"]))

    def test_tells_for_how_long_the_quota_throttled_each_look(self):
        found, _ = self.check([run(20.0)], [run(20.0, throttled=0.25), run(20.0)])
        self.assertEqual(found["mlprof"]["throttledSeconds"], [0.25, 1.0, 1.0])

    def test_a_control_without_limits_is_looked_at_once(self):
        fast, slow = run(20.0), run(25.0)
        found, _ = self.check([fast], [fast, fast, fast, slow, fast, fast])
        self.assertEqual((found["mlprof"]["misses"], found["control"]["misses"]), (0, 1))


class TogetherTest(unittest.TestCase):
    def together(self, held):
        references = oracle.References([run(20.0)])
        with mock.patch.object(probe, "fresh",
                               side_effect=lambda *_, **__: run(20.0 if held else 99.0)), \
                mock.patch.object(oracle, "_reference", return_value=run(20.0)):
            return oracle._together(None, TARGET, references, [5, 5, 5], [4, 4, 4],
                                    lambda _: None)[-1]

    def test_says_whether_the_limits_were_seen_to_hold(self):
        self.assertTrue(self.together(True))
        self.assertFalse(self.together(False))


if __name__ == "__main__":
    unittest.main()
