"""Answers that are the same: within one step of their median."""

import unittest

import again


def answers(*pairs):
    return [{"cpu": cpu, "memoryInMib": mib} for cpu, mib in pairs]


class SameTest(unittest.TestCase):
    def test_one_step_is_a_tenth_of_a_core_and_sixteen_mib_or_a_twentieth(self):
        self.assertEqual(again.same(answers((1.0, 32), (1.1, 48), (0.9, 32))), (3, 3))
        self.assertEqual(again.same(answers((1.0, 32), (1.2, 64), (1.0, 32))), (2, 2))
        self.assertEqual(again.memory_step(1000), 50)
        self.assertEqual(again.same(answers((1.0, 1000), (1.0, 1050), (1.0, 1000))), (3, 3))

    def test_an_end_without_an_answer_is_told_apart(self):
        line = again.told("cpu", answers((1.0, 32.0)) + [{"cpu": None, "memoryInMib": None}])
        self.assertIn("1 of 2 answered", line)
        self.assertIn("0 of 1 answered", again.told("cpu", answers((None, None))))


if __name__ == "__main__":
    unittest.main()
