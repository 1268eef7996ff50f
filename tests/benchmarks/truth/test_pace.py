import pathlib
import tempfile
import unittest

import pace


class Host:
    """Imitated: its work takes what is next, and its clock goes on while somebody sleeps."""

    def __init__(self, *seconds):
        self.seconds, self.now = list(seconds), 0.0

    def measure(self):
        return self.seconds.pop(0) if len(self.seconds) > 1 else self.seconds[0]

    def sleep(self, seconds):
        self.now += seconds


class PaceTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.said = []

    def of(self, host):
        return pace.Pace(pathlib.Path(self.folder.name), host.measure, host.sleep,
                         lambda: host.now)

    def test_is_told_beside_the_fastest_that_was_ever_seen(self):
        self.assertEqual(self.of(Host(0.2)).now(), 1)
        self.assertEqual(self.of(Host(0.4)).now(), 2)

    def test_is_that_of_the_slowest_of_several_moments(self):
        self.assertAlmostEqual(self.of(Host(0.2, 0.2, 0.3, 0.2)).now(), 1.5)

    def test_is_waited_for_until_the_host_is_as_fast_as_at_its_best(self):
        self.of(Host(0.2)).now()
        slow_then_fast = Host(*[0.4] * pace.MEASUREMENTS, 0.21)
        self.assertTrue(self.of(slow_then_fast).becomes_steady(10, self.said.append))
        self.assertEqual(self.said,
                         ["the same work takes 2.0 times the CPU it takes here at best: waiting"])

    def test_is_not_waited_for_any_longer_than_asked(self):
        self.of(Host(0.2)).now()
        slow = Host(0.4)
        self.assertFalse(self.of(slow).becomes_steady(10, self.said.append))
        self.assertLess(slow.now, 15 * 60)


if __name__ == "__main__":
    unittest.main()
