"""What mlprof reads of TPU chips and of libtpu's metric service, beside what Google's own tpu-info
reads of the very same. Both are imitated: no TPU was at hand."""

import json
import os
import re
import subprocess
import unittest

import tpus
from server import BIN

USAGE = "tpu.runtime.hbm.memory.usage.bytes"
TOTAL = "tpu.runtime.hbm.memory.total.bytes"
DUTY = "tpu.runtime.tensorcore.dutycycle.percent"
BANDWIDTH = "tpu.runtime.hbm.utilization.percent"
IDLE = "tpu.runtime.tensorcore.idle_duration.seconds"
QUEUE = "hlo.queue.size.gauge"
GIB = 1 << 30
DEADLINE_S = 120


def rows(text):
    """Of the tables that tpu-info prints: the cells of each row that is no head."""
    found = []
    lines = [line for line in text.splitlines() if line.startswith("|")]
    for line, following in zip(lines, [*lines[1:], ""]):
        if not line.startswith("|-") and not following.startswith("|-"):
            found.append([cell.strip() for cell in line.strip("| ").split("|")])
    return found


@unittest.skipUnless(tpus.may_unshare(), "SKIPPED: no mount namespace can be had here")
@unittest.skipIf(tpus.google_chips_here(), "SKIPPED: this machine has chips of its own")
class TpuInfoTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.theirs = tpus.tpu_info()

    def setUp(self):
        self.machine = tpus.Machine()
        self.addCleanup(self.machine.close)

    def serve(self, *values):
        self.machine.say(*values)
        service = self.machine.serve()
        self.addCleanup(service.wait)
        self.addCleanup(service.terminate)
        self.addCleanup(service.stdout.close)

    def ours(self):
        done = subprocess.run([*self.machine.prefix(), BIN / "print-tpus"], check=False,
                              stdout=subprocess.PIPE, timeout=DEADLINE_S)
        return done.returncode, json.loads(done.stdout)

    def ask_theirs(self, *words):
        if self.theirs is None:
            self.skipTest(f"SKIPPED: {tpus.TPU_INFO} is not installed and cannot be had")
        done = subprocess.run([*self.machine.prefix(), *tpus.OWN_PROC, self.theirs, *words], check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=DEADLINE_S,
                              env={**os.environ, "COLUMNS": "200", "NO_COLOR": "1"})
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done.stdout.decode()

    def compare(self, metric, name, shown):
        """The table of one metric has what we read, in tpu-info's own writing."""
        _, read = self.ours()
        values = read["metrics"][name]
        self.assertTrue(values, read["missing"])
        table = rows(self.ask_theirs("--metric", metric))
        self.assertEqual(table, [[str(device), shown(value)] for device, value in values], table)

    def test_memory_and_duty_cycle_are_those_that_tpu_info_shows(self):
        for group in range(4):
            self.machine.add(f"0000:00:0{group + 4}.0", tpus.V5E, group)
        used = [3 * GIB, 5 * GIB + 123456789, 0, 15 * GIB]
        self.serve(*[(USAGE, i, "int", used[i]) for i in reversed(range(4))],
                   *[(TOTAL, i, "int", 15 * GIB + (3 << 28)) for i in range(4)],
                   *[(DUTY, i, "double", 12.5 * i) for i in range(4)])
        _, read = self.ours()
        self.assertEqual(read["metrics"][USAGE], [[i, used[i]] for i in range(4)])
        totals = dict(read["metrics"][TOTAL])
        self.compare("hbm_usage", USAGE,
                     lambda value: f"{value / GIB:.2f} GiB / {totals[0] / GIB:.2f} GiB")
        self.compare("duty_cycle_percent", DUTY, lambda value: f"{value:.2f}%")

    def test_what_else_libtpu_tells_is_what_tpu_info_shows(self):
        self.machine.add("0000:00:04.0", tpus.V5E, 0)
        self.serve((USAGE, 0, "int", GIB), (TOTAL, 0, "int", 16 * GIB), (DUTY, 0, "double", 50),
                   (BANDWIDTH, 0, "double", 81.25), (IDLE, 0, "double", 1.5),
                   (QUEUE, 0, "int", 7, "list"))
        self.compare("runtime_hbm_utilization", BANDWIDTH, lambda value: f"{value:.2f}%")
        self.compare("tensorcore_idle_duration", IDLE, lambda value: f"{value:.2f}s")
        self.compare("hlo_queue_size", QUEUE, lambda value: str(int(value)))

    def test_chips_are_those_that_tpu_info_lists(self):
        for address, device, groups in (("0000:00:04", tpus.V5E, [11]), ("0000:00:05", tpus.V5E, [2])):
            for function, group in enumerate(groups):
                self.machine.add(f"{address}.{function}", device, group)
        status, read = self.ours()
        self.assertEqual(status, 0, read)
        self.assertEqual([chip["files"] for chip in read["chips"]],
                         [["/dev/vfio/2"], ["/dev/vfio/11"]])
        table = [row for row in rows(self.ask_theirs()) if row[0].startswith("/dev/")]
        self.assertEqual([row[0] for row in table], [c["files"][0] for c in read["chips"]])
        self.assertTrue(all(row[1] == f"{chip['name']} chip"
                            for row, chip in zip(table, read["chips"])), table)

    def test_chips_of_two_cores_are_one_each(self):
        for function in (0, 1):
            self.machine.add(f"0000:00:04.{function}", tpus.V7X, function)
        _, read = self.ours()
        self.assertEqual([chip["files"] for chip in read["chips"]], [["/dev/vfio/0", "/dev/vfio/1"]])
        self.assertEqual(read["chips"][0]["memory"], 192 * GIB)
        table = [row for row in rows(self.ask_theirs()) if row[0].startswith("/dev/")]
        self.assertEqual([row[0] for row in table], ["/dev/vfio/0"])

    def test_no_chip_and_no_service_are_told_by_both(self):
        status, read = self.ours()
        self.assertEqual(status, 1)
        self.assertIn("no TPU chip", read["what"])
        self.assertTrue(read["remedy"])
        self.assertIn("No TPU chips found", self.ask_theirs())
        self.machine.add("0000:00:04.0", tpus.V5E, 0)
        status, read = self.ours()
        self.assertEqual(status, 0)
        self.assertEqual(read["metrics"], {})
        self.assertIn(USAGE, read["missing"])
        self.assertTrue(re.search("metrics\\s+unavailable", self.ask_theirs("--metric", "hbm_usage")))


if __name__ == "__main__":
    unittest.main()
