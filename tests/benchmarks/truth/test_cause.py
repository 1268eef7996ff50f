"""Whether limits can be why a run was slow."""

import unittest

import cause
import judgement
import probe
import targets

WITHOUT = {"keepAlive": judgement.Part(300, 100.0, 10.0, 10.0, 12.0, 1.0)}


def run(stopped=0.0, read_back=0, **seen):
    part = judgement.Part(**{"answered": 300, "per_second": 100.0, "p50_ms": 10.0, "p95_ms": 10.0,
                             "p99_ms": 12.0, "cores": 1.0, **seen})
    return probe.Run(0, "", 0.1, False, 0, parts={"keepAlive": part}, throttled_seconds=stopped,
                     pages_read_back=read_back)


def may_be(one, **target):
    return cause.may_be_the_limits(targets.Target("t", "t", **target), one, WITHOUT)


class CauseTest(unittest.TestCase):
    def test_what_was_not_stopped_and_reads_nothing_back_the_host_made_slow(self):
        self.assertFalse(may_be(run(p95_ms=14.0, per_second=70.0, p99_ms=60.0)))

    def test_fewer_cores_may_be_why_though_nothing_was_stopped(self):
        self.assertFalse(may_be(run(p95_ms=14.0, cores=0.95)))
        self.assertTrue(may_be(run(p95_ms=14.0, cores=0.94)))  # a pool of fewer threads

    def test_pages_read_back_may_be_why(self):
        self.assertTrue(may_be(run(p95_ms=14.0, read_back=4)))
        self.assertFalse(may_be(run(p95_ms=14.0, read_back=3)))

    def test_a_heap_that_follows_the_limit_may_be_why(self):
        self.assertTrue(may_be(run(p95_ms=14.0), options=("--heap-share", 0.25)))

    def test_throughput_may_be_lost_to_stops_of_a_twentieth_of_the_time(self):
        slow = {"per_second": 90.0}  # 300 requests in 3.33 s
        self.assertFalse(may_be(run(stopped=0.16, **slow)))
        self.assertTrue(may_be(run(stopped=0.17, **slow)))

    def test_p95_takes_stops_that_made_one_request_in_twenty_a_tenth_slower(self):
        slow = {"p95_ms": 11.5}  # 15 requests, a millisecond each
        self.assertFalse(may_be(run(stopped=0.0149, **slow)))
        self.assertTrue(may_be(run(stopped=0.0151, **slow)))
        self.assertTrue(may_be(run(stopped=0.0076, **slow), concurrency=2))  # both wait

    def test_p99_takes_stops_that_made_one_request_in_a_hundred_half_slower(self):
        slow = {"p99_ms": 40.0}  # 3 requests, 7 ms each
        self.assertFalse(may_be(run(stopped=0.0209, **slow)))
        self.assertTrue(may_be(run(stopped=0.0211, **slow)))

    def test_any_stop_may_be_why_requests_of_a_rate_or_an_objective_wait(self):
        for target in ({"rate": 10}, {"p95_ms": 12.0}):
            self.assertTrue(may_be(run(stopped=0.001, p95_ms=14.0), **target))
            self.assertFalse(may_be(run(p95_ms=14.0), **target))


if __name__ == "__main__":
    unittest.main()
