"""The figures that the truth benchmark reports."""

import unittest
from unittest import mock

import checks
import kept
import plot
import report
import rules
import summary
import tables
import targets

MIB = 1 << 20
MACHINE = {"cpu": "A", "cores": 2, "memoryInGib": 24, "cgroup": 1}


def entry(true_mib, mib, cpu=1.0, failures=0, grows=False):
    answer = {"slack": mib / true_mib - 1, "excessInBytes": (mib - true_mib) * MIB,
              "cpuWithinStep": report._within_step(cpu, 1.0), "runs": 3, "failures": failures,
              "oomKills": failures, "misses": 0}
    return {"name": f"t{true_mib}", "memoryInBytes": true_mib * MIB, "cpu": 1.0, "grows": grows,
            "by": {"mlprof": answer}}


class ReportTest(unittest.TestCase):
    def test_sums_large_and_small_needs_apart_and_leaves_out_leaks(self):
        total = summary.of([entry(256, 288), entry(400, 400), entry(1000, 1200, cpu=1.2),
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

    def test_says_how_many_targets_are_missing_and_names_a_few(self):
        known = [{**entry(256, 288), "name": target.name}
                 for target in targets.ALL if target.answerable]
        told = summary.scope(summary.of(known[2:]))
        first, second = known[0]["name"], known[1]["name"]
        self.assertIn(f"2 not measured ({first}, {second})", told)
        told = summary.scope(summary.of(known[:2]))
        self.assertIn(f"2 of {len(known)} targets, {len(known) - 2} not measured; 0 without", told)

    def test_says_how_many_answers_each_recommender_has(self):
        total = summary.of([entry(256, 288), entry(64, 96)])
        self.assertIn("| mlprof | 2 | ", "\n".join(tables._sum_table(total)))
        self.assertIn("| VPA | 0 | ", "\n".join(tables._sum_table(total)))

    def test_has_what_others_answer_where_nobody_ran_it(self):
        target = next(one for one in targets.ALL if one.answerable)
        check = {"cpu": 1.0, "memoryInBytes": 288 * MIB, "runs": 3, "oomKills": 0, "misses": 0,
                 "errors": 0, "why": []}
        values = {"oracle": {"cpu": 1.0, "memoryInBytes": 256 * MIB}, "checks": {"mlprof": check},
                  "rules": {"VPA": {"cpu": 1.2, "memoryInBytes": 320 * MIB}},
                  "profile": {"state": "Succeeded", "wallSeconds": 60, "warnings": [],
                              "recommendation": {"verified": True, "requestedCpu": 1.0,
                                                 "requestedMemoryInBytes": 288 * MIB}}}
        known = report._entry(target, values)
        self.assertEqual(known["by"]["VPA"]["slack"], 0.25)
        self.assertNotIn("KRR", known["by"])
        self.assertEqual(tables._cell(known, "VPA"), "1.2 | 320 (+25%) °")
        self.assertEqual(tables._cell(known, "mlprof"), "1.0 | 288 (+12%)")
        total = summary.of([known])
        self.assertEqual((total["VPA"]["answers"], total["VPA"]["runs"]), (1, 0))
        drawn = plot.draw([known], ["mlprof", "VPA"])
        dot, ring = (f'fill="{colour}"' for colour in (plot.COLOURS["VPA"], "none"))
        self.assertEqual((drawn.count(dot), drawn.count(ring)), (1, 1))  # the legend has the dot

    def test_says_which_builds_the_rows_are_of_and_on_which_machine(self):
        build = {"version": "0.1.0", "commit": "1f0c3a9", "budgetSeconds": None}
        one = {"build": build, "runs": 3, "machine": MACHINE}
        other = {"build": None, "runs": 3, "machine": {**MACHINE, "cpu": "B"}}
        self.assertEqual(
            tables._builds([one, one, other]),
            "Measured: 2 rows of mlprof 0.1.0 at 1f0c3a9 with mlprof's own budget, 3 containers an "
            "answer, on 2 cores (A), 24 GiB, cgroup v1; 1 row of a build that was not recorded, on "
            "2 cores (B), 24 GiB, cgroup v1 ¹.")
        self.assertEqual(tables._marks([other, one, one]), [" ¹", "", ""])

    def test_of_one_build_are_its_rows_alone_on_whichever_machine(self):
        target = next(one for one in targets.ALL if one.answerable)
        elsewhere = {**MACHINE, "cpu": "another"}
        def row(machine, commit):
            return {"hash": kept.key(target, machine), "host": machine, "oracle": {},
                    "rulesVersion": rules.RULE, "profile": {"build": {"commit": commit}}}
        known = [row(kept.host(), "old"), row(elsewhere, "new"),
                 {**row(elsewhere, "gone"), "hash": "of another target"}]
        with mock.patch.object(kept, "entries", lambda *_: known):
            self.assertEqual(kept.of_build(target, "new")["host"], elsewhere)
            self.assertEqual(kept.of_build(target, "old")["host"], kept.host())
            self.assertEqual(kept.of_build(target, "gone"), {})
            known.append(row(kept.host(), "new"))
            self.assertEqual(kept.of_build(target, "new")["host"], kept.host())

    def test_leaves_out_limits_that_were_not_seen_to_hold_together(self):
        target = next(target for target in targets.ALL if target.answerable)
        found = {"cpu": 1.0, "memoryInBytes": 64 * MIB, "runs": 3, "oomKills": 0, "errors": 0,
                 "misses": 0}
        profile = {"state": "Succeeded", "wallSeconds": 60, "warnings": [],
                   "recommendation": {"verified": True, "requestedCpu": 1.0,
                                      "requestedMemoryInBytes": 64 * MIB}}
        for confirmed, rows in ((True, 1), (False, 0)):
            true = {"cpu": 1.0, "memoryInBytes": 48 * MIB, "confirmed": confirmed}
            values = {"oracle": true, "checks": {"mlprof": found}, "profile": profile}
            with mock.patch.object(report.kept, "find", lambda one, values=values:
                                   values if one is target else {}):
                self.assertEqual(len(report.load("/nowhere")), rows)

    def test_what_was_kept_stands_for_limits_here_that_did_not_hold_together(self):
        values = {"checks": {}, "oracle": {"confirmed": True}}
        doubtful = {"checks": {}, "oracle": {"confirmed": False}}
        with mock.patch.object(report, "Results") as here, \
                mock.patch.object(report.kept, "find", return_value=values), \
                mock.patch.object(report, "_entry", lambda _, taken: taken):
            here.return_value.values = doubtful
            self.assertEqual(report.load("/nowhere"), [values] * len(targets.ALL))

    def test_a_kept_oracle_of_which_nothing_lasts_is_none(self):
        refuted = {"oracle": {"confirmed": False, "lasted": {"containers": 10}}}
        with mock.patch.object(report, "Results") as here, \
                mock.patch.object(report.kept, "find", return_value={
                    "checks": {}, "oracle": {"confirmed": True}}):
            here.return_value.values = refuted
            self.assertEqual(report.load("/nowhere"), [])

    def test_says_how_many_rows_were_checked_by_an_earlier_rule(self):
        now = {"earlier_rule": False, "slow_by_host": 0}
        rule = "A run counted as slow where its limits may be why and most looks in turn were"
        self.assertEqual(tables._looks([now, {**now, "earlier_rule": True}]),
                         f"{rule} (1 of 2 rows: by an earlier rule).")
        self.assertEqual(tables._looks([now]), f"{rule}.")

    def test_says_how_many_runs_the_host_alone_made_slow(self):
        entries = [{"earlier_rule": False, "slow_by_host": slow} for slow in (2, 0, 1)]
        self.assertTrue(tables._looks(entries).endswith(
            " 3 looks at mlprof's answers were slow by the host alone, and were taken again."))

    def test_says_how_many_looks_without_limits_were_slow(self):
        now = {"runs": 3, "rule": checks.RULE}
        entries = [{"control": {**now, "misses": 1}}, {"control": None},
                   {"control": {**now, "misses": 0}},
                   {"control": {**now, "misses": 2, "rule": checks.RULE - 1}}]
        self.assertEqual(tables._control(entries),
                         " Of 6 containers without limits that were looked at once each in 2 rows, 1"
                         " were slow.")
        self.assertEqual(tables._control([{"control": None}]), "")

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
        self.assertEqual((one["build"], one["runs"], one["control"]), (None, 3, None))


if __name__ == "__main__":
    unittest.main()
