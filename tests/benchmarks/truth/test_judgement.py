"""The rules by which the truth benchmark judges a run and an answer."""

import dataclasses
import json
import unittest

import judgement
import needs
import oracle
import probe
import targets

MIB = 1 << 20


def part(answered=150, per_second=50.0, p50=20.0, p95=21.0, p99=22.0, throttled=1.0, pages=0):
    return judgement.Part(answered, per_second, p50, p95, p99, throttled_seconds=throttled,
                          pages_read_back=pages)


def run(**loads):
    return probe.Run(0, "", 0.1, False, 0, parts=loads or {"keepAlive": part()})


def judged(without, **seen):
    """Why a part of a closed loop misses."""
    target = seen.pop("target", targets.Target("t", "t"))
    return judgement.miss(target, run(keepAlive=part(**seen)), {"keepAlive": without})


class JudgementTest(unittest.TestCase):
    def test_p95_may_be_a_tenth_above_that_without_limits(self):
        self.assertEqual(judged(part(p95=20.0), p95=22.0), "")
        self.assertEqual(judged(part(p95=20.0), p95=22.1), "p95 22.10 ms")

    def test_a_closed_loop_keeps_its_throughput(self):
        self.assertEqual(judged(part(per_second=973.0), per_second=925.0), "")
        self.assertEqual(judged(part(per_second=973.0), per_second=502.0),
                         "502.0 of 973.0 requests/s")

    def test_a_rate_has_its_throughput_given(self):
        paced = targets.Target("t", "t", rate=10)
        self.assertEqual(judged(part(per_second=10.0), per_second=8.0, target=paced), "")

    def test_p99_counts_from_299_requests_on_and_where_the_quota_stopped_it(self):
        short = {"p50": 1.0, "p95": 1.04, "p99": 50.6}
        without = part(answered=3000, p50=1.0, p95=1.0, p99=1.1)
        self.assertEqual(judged(without, answered=3000, **short), "p99 50.60 ms")
        self.assertEqual(judged(without, answered=3000, throttled=0.0, **short), "")
        self.assertEqual(judged(without, answered=298, **short), "")
        self.assertEqual(judged(without, answered=299, **{**short, "p99": 2.65}), "")
        self.assertEqual(judged(without, answered=299, **{**short, "p99": 2.66}), "p99 2.66 ms")

    def test_an_objective_of_its_own_replaces_all_of_it(self):
        slo = targets.Target("t", "t", p95_ms=100)
        self.assertEqual(judged(part(), p95=99.0, p99=400.0, per_second=9.0, answered=900,
                                target=slo), "")
        self.assertEqual(judged(part(), p95=101.0, target=slo), "p95 101.00 ms")

    def test_fresh_connections_are_judged_beside_kept_alive_ones(self):
        target = targets.Target("t", "t", options=("--workers", 4))
        without = {"keepAlive": part(), "perRequest": part(p95=22.0)}
        self.assertEqual(judgement.miss(target, run(keepAlive=part(), perRequest=part()), without),
                         "")
        slow = run(keepAlive=part(), perRequest=part(p95=30.0))
        self.assertEqual(judgement.miss(target, slow, without), "perRequest: p95 30.00 ms")
        self.assertEqual(judgement.miss(target, run(keepAlive=part()), without),
                         "perRequest: it did not come to it")

    def test_what_died_or_failed_did_not_hold(self):
        without = {"keepAlive": part()}
        dead = run()
        dead.oom_killed = True
        self.assertEqual(judgement.miss(None, dead, without), "OOM")
        failed = probe.Run(1, "row 3: status 500", 0.1, False, 0)
        self.assertEqual(judgement.miss(None, failed, without), "row 3: status 500")
        hopeless = run()
        hopeless.gave_up = True
        self.assertEqual(judgement.miss(None, hopeless, without), "far too slow")

    def test_a_memory_limit_misses_where_the_kernel_tells_of_want_of_memory(self):
        without = {"keepAlive": part(p95=20.0)}

        def miss(pages=0, **seen):
            slow = dataclasses.replace(run(keepAlive=part(p95=25.0, pages=pages)), **seen)
            return judgement.memory_miss(targets.Target("t", "t"), slow, without, cost_ms=20.0)

        self.assertEqual(miss(load_cpu_seconds=3.0), "", "the host was slow")
        self.assertEqual(miss(load_cpu_seconds=6.0), "p95 25.00 ms", "a full heap")
        self.assertEqual(miss(load_cpu_seconds=3.0, pages=300), "p95 25.00 ms")
        self.assertEqual(miss(gave_up=True), "far too slow")
        self.assertEqual(miss(oom_killed=True), "OOM")

    def test_a_reference_is_the_median_of_each_figure(self):
        runs = [run(keepAlive=part(p95=p95, per_second=rate))
                for p95, rate in ((20.0, 50.0), (30.0, 48.0), (21.0, 49.0))]
        found = judgement.reference(runs)["keepAlive"]
        self.assertEqual((found.p95_ms, found.per_second), (21.0, 49.0))
        stored = json.loads(json.dumps(judgement.stored({"keepAlive": found})))
        self.assertEqual(stored["keepAlive"]["p95_ms"], 21.0)

    def test_the_last_runs_without_limits_are_the_reference(self):
        references = oracle.References([run(keepAlive=part(p95=20.0))] * 3)
        for _ in range(3):
            references.add(run(keepAlive=part(p95=25.0)))
        references.add(probe.Run(1, "it did not get ready", 0, False, 0))
        self.assertEqual(references.now()["keepAlive"].p95_ms, 25.0)

    def test_an_interval_ends_where_no_look_was_in_doubt(self):
        self.assertEqual(judgement.interval({8: [False, False], 9: [True, True]}, 9), (9, 9))
        doubtful = {7: [False, False], 8: [False, True, False], 9: [True, False, True],
                    10: [True, True]}
        self.assertEqual(judgement.interval(doubtful, 9), (8, 10))
        self.assertEqual(judgement.interval({1: [True, True]}, 1), (1, 1))

    def test_no_interval_reaches_below_what_was_tried(self):
        doubtful = {10: [True, False, False], 11: [True, True]}
        self.assertEqual(judgement.interval(doubtful, 11), (10, 11))
        self.assertEqual(judgement.interval({4: [False, False], **doubtful}, 11), (10, 11))


def known(cpu=(1.0, 1.0), mib=(48, 48), answer=None):
    values = {"oracle": {"cpuInterval": list(cpu),
                         "memoryIntervalInBytes": [size * MIB for size in mib]}}
    if answer:
        values["profile"] = {"recommendation": {
            "verified": answer[2], "requestedCpu": answer[0],
            "requestedMemoryInBytes": answer[1] * MIB}}
    return values


class NeedsTest(unittest.TestCase):
    PLANTED = targets.Target("t", "t", need_cpu=(0.9, 1.1), need_memory_mib=(800, 1000))

    def violations(self, target=PLANTED, **values):
        return needs.violations(target, known(**values))

    def test_an_interval_that_meets_what_was_planted_agrees(self):
        self.assertEqual(self.violations(cpu=(0.8, 0.9), mib=(784, 816)), [])

    def test_an_oracle_beside_what_was_planted_is_wrong(self):
        self.assertEqual(self.violations(cpu=(0.5, 0.6), mib=(800, 816)),
                         ["t: the oracle says 0.5 to 0.6 cores, planted are 0.9 to 1.1"])

    def test_an_answer_below_or_above_what_was_planted_is_wrong(self):
        seen = {"mib": (816, 816)}
        self.assertEqual(self.violations(answer=(1.0, 896, True), **seen), [])
        self.assertEqual(self.violations(answer=(1.0, 224, True), **seen),
                         ["t: mlprof says 224 MiB, planted are 800 to 1000"])
        self.assertEqual(self.violations(answer=(2.0, 896, False), **seen),
                         ["t: mlprof, not verified, says 2 cores, planted are 0.9 to 1.1"])

    def test_where_no_limit_holds_every_answer_is_wrong(self):
        never = targets.Target("t", "t", answerable=False)
        failed = {"oracle": {"error": "it did not get ready"},
                  "profile": {"recommendation": None}}
        self.assertEqual(needs.violations(never, failed), [])
        self.assertEqual(len(self.violations(never, answer=(1.0, 896, True))), 2)

    def test_an_oracle_that_fails_on_a_target_with_an_answer_is_wrong(self):
        self.assertEqual(needs.violations(self.PLANTED, {"oracle": {"error": "status 500"}}),
                         ["t: the oracle found no limits: status 500"])

    def test_what_was_not_planted_is_not_judged(self):
        self.assertEqual(self.violations(targets.Target("t", "t"), answer=(9.0, 9, True)), [])


if __name__ == "__main__":
    unittest.main()
