"""Two builds in turns: what is laid beside what."""

import unittest

import in_pairs


def one(seconds, cpu=1.0, mib=32.0, verified=True):
    return {"seconds": seconds, "cpu": cpu, "memoryInMib": mib, "verified": verified,
            "state": "Succeeded" if cpu else "TimedOut"}


class InPairsTest(unittest.TestCase):
    def test_the_build_that_began_ends_the_next_turn(self):
        self.assertEqual(in_pairs.order(0), ("before", "after"))
        self.assertEqual(in_pairs.order(1), ("after", "before"))

    def test_each_target_is_told_with_both_times_and_answers(self):
        lines = in_pairs.told({"a": [{"before": one(100), "after": one(40)},
                                     {"before": one(120), "after": one(60, cpu=1.1)}],
                               "b": [{"before": one(80, cpu=None),
                                      "after": one(80, verified=False)}]})
        self.assertEqual(lines[0], "a                    0.45: before 100/120 s, 1.0 cores 32 MiB; "
                                   "after 40/60 s, 1.0 cores 32 MiB, 1.1 cores 32 MiB")
        self.assertEqual(lines[1], "b                    1.00: before 80 s, TimedOut; "
                                   "after 80 s, 1.0 cores 32 MiB not verified")
        self.assertEqual(lines[2], "3 pairs: 300 s before, 180 s after, 0.60 in all; 0.50 in the "
                                   "median, 0.40 to 1.00")

    def test_turns_of_other_builds_and_of_targets_that_changed_are_left_out(self):
        target = in_pairs.targets.ALL[0]
        key = in_pairs.kept.key(target, in_pairs.kept.host())
        commits = {"before": "b", "after": "a"}

        def turn(before="b", after="a", key=key):
            return {"before": one(2) | {"build": before, "key": key},
                    "after": one(1) | {"build": after, "key": key}}

        turns = [turn(), turn(before="c"), turn(after="c"), turn(key="another")]
        self.assertEqual(in_pairs.of_builds({target.name: turns}, commits),
                         {target.name: turns[:1]})
        self.assertEqual(in_pairs.of_builds({target.name: turns[1:]}, commits), {})
        self.assertEqual(in_pairs.told({}), ["nothing is known of these builds"])


if __name__ == "__main__":
    unittest.main()
