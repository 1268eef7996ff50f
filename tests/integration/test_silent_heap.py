"""A server whose heap follows the memory limit, and that answers 500 with no word where it is full."""

import unittest

import target
from server import Server

LIVE_MIB = 80
ROW_MIB = 8
# A quarter of the limit holds what lives and one row from here on.
NEED_MIB = 4 * (LIVE_MIB + ROW_MIB)

SCORE = f"""
from azureml.contrib.services.aml_response import AMLResponse

LIVE, ROW = {LIVE_MIB} << 20, {ROW_MIB} << 20
garbage = []


def memory_limit():
    for path in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            with open(path) as file:
                return int(file.read())
        except (OSError, ValueError):
            pass
    return 1 << 40


def touched(size):
    memory = bytearray(size)
    memory[::4096] = b"x" * len(range(0, size, 4096))
    return memory


def init():
    global heap, live
    heap = min(memory_limit(), 1 << 40) // 4
    live = touched(min(LIVE, heap))


def run(data):
    if LIVE + ROW > heap:
        return AMLResponse("try again", 500)
    if LIVE + (len(garbage) + 1) * ROW > heap:
        garbage.clear()
    garbage.append(touched(ROW))
    return len(garbage)
"""


class SilentHeapTest(unittest.TestCase):
    def setUp(self):
        self.server = Server().start()
        self.addCleanup(self.server.close)

    def test_memory_is_raised_until_its_rows_are_served(self):
        source = self.server.call("POST", "/sources", target.model_tar(
            [("score.py", SCORE.encode())]), "application/x-tar")["id"]
        model = self.server.register_model("heap", target.model_tar())
        rows = self.server.register_rows("rows", target.rows("[1]", 20))
        # Its heap of 192 MiB there makes less than NEED_MIB of what it takes with a margin.
        self.server.profile("silent", model, rows, {"sourceId": source, "entryScript": "score.py"},
                            containerResourceRequirements={"memoryInGb": 0.75}, budgetSeconds=280)
        profile = self.server.wait_finished("silent", 420)
        self.assertEqual(profile["state"], "Succeeded", profile["error"])
        answer = profile["recommendation"]
        self.assertTrue(answer["verified"], profile["warnings"])
        self.assertGreaterEqual(answer["requestedMemoryInBytes"], NEED_MIB << 20)
        self.assertLessEqual(answer["requestedMemoryInBytes"], 1.4 * (NEED_MIB << 20))
        refused = [one["verdict"] for one in self.server.get("/profiles/silent/trials")["value"]
                   if not one["passed"] and "requests failed" in one["verdict"]]
        self.assertTrue(refused, "nothing was tried that is too little")


if __name__ == "__main__":
    unittest.main()
