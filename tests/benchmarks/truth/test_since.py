"""Rows before and after are told of the same targets."""

import unittest

import since

MIB = 1 << 20


def row(seconds, build="a", host="x", cpu=1.0, mib=32, failures=0, rule=1):
    return {"host": host, "build": build, "seconds": seconds, "cpu": cpu, "mib": mib, "runs": 3,
            "failures": failures, "rule": rule}


class SinceTest(unittest.TestCase):
    def test_takes_no_entry_without_a_checked_answer(self):
        profile = {"wallSeconds": 9, "build": {"commit": "a"},
                   "recommendation": {"requestedCpu": 1, "requestedMemoryInBytes": 64 * MIB}}
        check = {"runs": 3, "oomKills": 0, "errors": 0, "misses": 1}
        entry = {"host": "x", "profile": profile, "checks": {"mlprof": check}}
        self.assertEqual(since.rows_of([entry, {"host": "x", "oracle": {}}], "a"),
                         [row(9, cpu=1, mib=64, failures=1)])
        self.assertEqual(since.rows_of([entry], "b"), [])

    def test_pairs_rows_of_the_same_kind_of_host_first(self):
        early, other = row(9), row(8, host="y")
        late = row(5, build="b", host="y")
        self.assertEqual(since.pair([early, other], [late]), (other, late))
        self.assertEqual(since.pair([early], [late]), (early, late))

    def test_takes_the_rows_kept_last_and_none_that_was_there_before(self):
        first, second = row(9), row(8, build="b")
        third = row(7, build="c")
        self.assertEqual(since.pair([first, second], [first, second, third]), (second, third))
        self.assertIsNone(since.pair([first, second], [first, second]))

    def test_says_where_failures_were_judged_by_other_rules(self):
        lines = since.told({"one": (row(10), row(10, build="b", rule=6))})
        self.assertTrue(lines[1].endswith("0 of 3 after (each by the rule of its day)"))

    def test_tells_time_by_kind_of_host_failures_and_what_moved(self):
        lines = since.told({"one": (row(100, failures=1), row(50, build="b")),
                            "two": (row(100), row(90, build="b", cpu=1.1, mib=48)),
                            "three": (row(10), row(20, build="b", host="y", cpu=1.2, mib=64))})
        self.assertIn("same kind of host: 2 targets, 200 s before and 140 s after; 0.70", lines[0])
        self.assertIn("another kind of host: 1 targets, 10 s before and 20 s after", lines[1])
        self.assertEqual(lines[2], "containers that failed: 1 of 9 before, 0 of 9 after")
        self.assertEqual(lines[3:], ["answers that moved by more than a step: 1 of 3",
                                     "three: 1 cores, 32 MiB before; 1.2 cores, 64 MiB after"])


if __name__ == "__main__":
    unittest.main()
