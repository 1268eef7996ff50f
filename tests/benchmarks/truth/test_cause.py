"""Whether limits may be why a run was slow."""

import unittest

import cause
import judgement
import probe
import targets

USUAL = judgement.Part(300, 100.0, 10.0, 10.0, 12.0, cores=1.0)
WITHOUT = {"keepAlive": USUAL}


def part(**seen):
    return judgement.Part(**{**vars(USUAL), **seen})


def run(**seen):
    return probe.Run(0, "", 0.1, False, 0, parts={"keepAlive": part(**seen)})


def may_be(one, without=None, **target):
    return cause.limits_may_be_why(targets.Target("t", "t", **target), one, without or WITHOUT)


class CauseTest(unittest.TestCase):
    def test_what_was_not_throttled_and_reads_nothing_back_the_host_made_slow(self):
        self.assertFalse(may_be(run(p95_ms=14.0, per_second=70.0, p99_ms=60.0)))

    def test_fewer_cores_may_be_why_though_nothing_was_throttled(self):
        self.assertFalse(may_be(run(p95_ms=14.0, cores=0.95)))
        self.assertTrue(may_be(run(p95_ms=14.0, cores=0.94)))  # a pool of fewer threads

    def test_the_cores_of_a_rate_are_those_of_its_requests(self):
        self.assertFalse(may_be(run(p95_ms=14.0, cores=0.5), rate=10))

    def test_pages_read_back_may_be_why(self):
        self.assertTrue(may_be(run(p95_ms=14.0, pages_read_back=1)))

    def test_a_heap_that_follows_the_limit_may_be_why(self):
        self.assertTrue(may_be(run(p95_ms=14.0), options=("--heap-share", 0.25)))

    def test_throughput_may_be_lost_to_a_twentieth_of_the_time(self):
        slow = {"per_second": 90.0}  # 300 requests in 3.33 s
        self.assertFalse(may_be(run(throttled_seconds=0.16, **slow)))
        self.assertTrue(may_be(run(throttled_seconds=0.17, **slow)))

    def test_p95_may_be_moved_by_one_request_that_waits_a_tenth_of_it(self):
        slow = {"p95_ms": 11.5}
        self.assertFalse(may_be(run(throttled_seconds=0.0009, **slow)))
        self.assertTrue(may_be(run(throttled_seconds=0.0011, **slow)))
        self.assertTrue(may_be(run(throttled_seconds=0.0006, **slow), concurrency=2))  # both wait

    def test_p99_may_be_moved_by_one_request_that_waits_half_of_it_and_a_millisecond(self):
        slow = {"p99_ms": 40.0}
        self.assertFalse(may_be(run(throttled_seconds=0.0069, **slow)))
        self.assertTrue(may_be(run(throttled_seconds=0.0071, **slow)))

    def test_any_throttling_may_be_why_a_rate_or_an_objective_is_missed(self):
        for target in ({"rate": 10}, {"p95_ms": 12.0}):
            self.assertTrue(may_be(run(throttled_seconds=0.001, p95_ms=14.0), **target))
            self.assertFalse(may_be(run(p95_ms=14.0), **target))

    def test_of_two_loads_the_one_that_missed_is_asked(self):
        both = {"keepAlive": USUAL, "perRequest": USUAL}
        throttled = part(throttled_seconds=1.0, cores=0.5)
        host = probe.Run(0, "", 0.1, False, 0,
                         parts={"keepAlive": throttled, "perRequest": part(p95_ms=14.0)})
        self.assertFalse(may_be(host, both))
        host.parts["keepAlive"] = part(p95_ms=14.0, throttled_seconds=1.0)
        self.assertTrue(may_be(host, both))

    def test_what_was_not_seen_to_its_end_or_not_counted_may_be_their_doing(self):
        slow = run(p95_ms=14.0)
        self.assertTrue(may_be(slow, {"keepAlive": USUAL, "perRequest": USUAL}))
        for name in ("gave_up", "uncounted"):
            slow = run(p95_ms=14.0)
            setattr(slow, name, True)
            self.assertTrue(may_be(slow))


if __name__ == "__main__":
    unittest.main()
