"""What the truth benchmark's replay does and how it is read, without containers."""

import json
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import time
import unittest

import probe
import targets

MIB = 1 << 20


class FakeCgroup:
    def peak_bytes(self):
        return 100 * MIB

    def oom_kills(self):
        return 0


def line(part_name, seconds=3.0, failures=0, **more):
    return {"part": part_name, "answered": 300, "failures": failures,
            "firstFailure": "row 1: status 500" if failures else "", "gaveUp": False,
            "seconds": seconds, "meanMs": 10.0, "p50Ms": 10.0, "p95Ms": 11.0, "p99Ms": 12.0,
            "mostMs": 300.0, "clientCpuSeconds": 0.1, **more}


def counters(at, cpu=0.0, throttled=0.0, read_back=0, **processes):
    return probe._Counters(at, at * 0.5, cpu, throttled,
                           {int(pid[1:]): used for pid, used in processes.items()}, read_back)


class ProbeTest(unittest.TestCase):
    def read(self, *seen):
        serving = probe.Serving.__new__(probe.Serving)
        serving.cgroup = FakeCgroup()
        return serving._run(list(seen))

    def test_tells_first_visits_and_both_loads_apart(self):
        found = self.read(({"readySeconds": 0.5}, counters(1, p1=0.1, p2=0.0, p3=0.0)),
                          (line("firstVisits"), counters(3, cpu=6.0, throttled=1.0)),
                          (line("together"), counters(4, cpu=6.5, throttled=1.0)),
                          (line("warm"), counters(5, cpu=7.0, throttled=1.0)),
                          (line("keepAlive"), counters(8, cpu=8.0, throttled=1.5, read_back=7)),
                          (line("perRequest", seconds=6.0),
                           counters(11, cpu=10.0, throttled=1.75, read_back=9, p1=0.1, p2=4.0,
                                    p3=5.0)))
        self.assertTrue(found.survived)
        self.assertEqual(found.parts["keepAlive"].per_second, 100.0)
        self.assertEqual(found.parts["perRequest"].per_second, 50.0)
        self.assertEqual(found.first_visits["cpuSeconds"], 6.0)
        self.assertEqual(found.first_visits["mostMs"], 300.0)
        self.assertEqual(found.throttled_seconds, 0.75)
        self.assertEqual(found.pages_read_back, 9)
        kept_alive, fresh = found.parts["keepAlive"], found.parts["perRequest"]
        self.assertEqual((kept_alive.cores, fresh.cores), (0.333, 0.333))
        self.assertEqual((kept_alive.throttled_seconds, fresh.throttled_seconds), (0.5, 0.25))
        self.assertEqual((kept_alive.pages_read_back, fresh.pages_read_back), (7, 2))
        self.assertFalse(found.uncounted)
        self.assertEqual(found.cost_ms, 1000 * 3.0 / 600)
        self.assertEqual((found.served, found.processes), (2, 3))
        self.assertEqual(found.replay_seconds, 10)

    def test_says_where_the_kernel_did_not_count(self):
        found = self.read(({"readySeconds": 0.5}, counters(1)),
                          (line("keepAlive"), counters(4, throttled=None)))
        self.assertTrue(found.uncounted)

    def test_a_failure_of_any_part_is_the_runs(self):
        found = self.read(({"readySeconds": 0.5}, counters(1)),
                          (line("together", failures=2), counters(2)))
        self.assertEqual((found.survived, found.first_failure), (False, "row 1: status 500"))

    def test_a_replay_that_does_not_end_is_killed_at_its_limit(self):
        serving = probe.Serving.__new__(probe.Serving)
        serving.cgroup = FakeCgroup()
        with subprocess.Popen(["sleep", "60"]) as replay:
            serving._watch(replay, end_seconds=0.0)
            self.assertEqual(replay.wait(), -9)
        found = serving._run([({"readySeconds": 0.5}, counters(1)),
                              (line("keepAlive"), counters(4))])
        self.assertEqual(found.first_failure, "the replay was killed")

    def test_a_replay_that_ends_before_its_load_is_no_success(self):
        found = self.read(({"readySeconds": 0.5}, counters(1)),
                          (line("firstVisits"), counters(2)))
        self.assertEqual(found.first_failure, "the replay was killed")


REPLAY, SERVER = probe.BIN / "bench-truth-replay", probe.BIN / "target-target-server"


@unittest.skipUnless(REPLAY.exists() and SERVER.exists(), "the programs are not built")
class ReplayTest(unittest.TestCase):
    """The oracle's replay against the target server, as plain processes."""

    def serve(self, *options):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        server = subprocess.Popen([SERVER, "--port", str(port), *options],
                                  stderr=subprocess.DEVNULL, start_new_session=True)
        self.addCleanup(server.wait)
        self.addCleanup(os.killpg, server.pid, signal.SIGKILL)
        return server, port

    def replay(self, port, rows, *options):
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write("".join(row + "\n" for row in rows))
            file.flush()
            done = subprocess.run([REPLAY, "--rows", file.name, "--port", str(port),
                                   *map(str, options)], stdout=subprocess.PIPE, check=True)
        first, *parts = map(json.loads, done.stdout.splitlines())
        self.assertIn("readySeconds", first)
        return parts

    def test_sees_first_visits_apart_and_warms_until_it_is_steady(self):
        _, port = self.serve()
        parts = self.replay(port, targets.alike("first=20 burn=1", 10), "--first-visits", 1,
                            "--together", 2, "--steady", 1, "--connections", "both")
        names = [one["part"] for one in parts]
        self.assertEqual(names[:2], ["firstVisits", "together"])
        self.assertEqual(names[-2:], ["keepAlive", "perRequest"])
        self.assertEqual(set(names[2:-2]), {"warm"})
        self.assertGreaterEqual(len(names[2:-2]), 2)
        self.assertGreater(parts[0]["p50Ms"], 20)
        self.assertLess(parts[-1]["p50Ms"], 20)

    def test_a_closed_loop_ends_with_a_whole_pass(self):
        _, port = self.serve()
        parts = self.replay(port, targets.alike("burn=0", 7), "--requests", 59)
        self.assertEqual(parts[-1]["answered"], 63)

    def test_requests_in_flight_together_reach_workers_that_turns_would_starve(self):
        server, port = self.serve("--workers", "4", "--first-idle", "--close")
        self.replay(port, targets.alike("sleep=20 burn=1", 4), "--together", 16,
                    "--warm-passes", 0)
        task = pathlib.Path(f"/proc/{server.pid}/task/{server.pid}/children")
        # Less than a row's millisecond: it has only been started.
        served = [pid for pid in map(int, task.read_text().split())
                  if time.clock_gettime((~pid << 3) | 2) > 0.001]
        self.assertEqual(len(served), 4)

    def test_distinct_requests_never_hit_a_response_cache(self):
        _, port = self.serve("--response-cache")
        rows = targets.alike("burn=20", 5)
        self.assertLess(self.replay(port, rows, "--warm-passes", 1)[-1]["p50Ms"], 20)
        distinct = self.replay(port, rows, "--warm-passes", 1, "--distinct", 1)
        self.assertGreaterEqual(distinct[-1]["p50Ms"], 20)

    def test_goes_on_where_the_server_closes_after_each_response(self):
        _, port = self.serve("--close")
        parts = self.replay(port, targets.alike("burn=0", 10), "--connections", "both")
        self.assertEqual([one["failures"] for one in parts], [0, 0, 0])

    def test_loses_no_request_while_workers_are_replaced(self):
        _, port = self.serve("--workers", "2", "--max-requests", "20")
        parts = self.replay(port, targets.alike("burn=1", 10), "--connections", "both",
                            "--requests", 200)
        self.assertEqual([one["failures"] for one in parts], [0, 0, 0])


if __name__ == "__main__":
    unittest.main()
