"""One judgement of a target at some limits: a plain container, rows sent to it, what came of it."""

import dataclasses
import json
import os
import pathlib
import subprocess
import threading
import time

import engine
import judgement
import kernel
import neighbour

ROOT_TESTS = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("MLPROF_BIN", ROOT_TESTS.parent / "build/release/bin"))
# A replay that other work on the host disturbed by more than this is done again.
NOISE_CORES_PER_CORE = 0.1
NOISE_RETRIES = 3
# Starts of a minute and the first visits of rows that take a second at a tenth of a core are in it.
END_LIMIT_S = 600
ENGINE_LAG_S = 1.0
WATCH_INTERVAL_S = 0.25
LOADS = ("keepAlive", "perRequest")


@dataclasses.dataclass
class Run:
    """What one replay showed. `other_cores`: what neither the container nor the replay used."""
    failures: int
    first_failure: str
    ready_seconds: float
    oom_killed: bool
    peak_bytes: int
    parts: dict = dataclasses.field(default_factory=dict)  # Part by load
    first_visits: dict = dataclasses.field(default_factory=dict)
    served: int = 0  # processes that used CPU for requests
    processes: int = 0
    cores: float = 0
    other_cores: float = 0
    load_cpu_seconds: float = 0
    uncounted: bool = False  # the kernel did not tell all that its parts have of it
    gave_up: bool = False  # so slow that it was not seen to its end
    replay_seconds: float = 0  # from ready to the end

    @property
    def answered(self):
        return sum(part.answered for part in self.parts.values())

    @property
    def throttled_seconds(self):
        return sum(part.throttled_seconds for part in self.parts.values())

    @property
    def pages_read_back(self):
        return sum(part.pages_read_back for part in self.parts.values())

    @property
    def cost_ms(self):
        """CPU of a request."""
        return 1000 * self.load_cpu_seconds / max(self.answered, 1)

    @property
    def p95_ms(self):
        """The worst of its loads."""
        return max((part.p95_ms for part in self.parts.values()), default=0)

    @property
    def survived(self):
        return not self.oom_killed and self.failures == 0 and self.answered > 0

    @property
    def noisy(self):
        return self.other_cores > NOISE_CORES_PER_CORE * os.cpu_count()


class Serving:
    """A target in a container at some limits; several replays may follow each other."""

    ended_late = False  # the last replay, by its time limit: of two loads one may lack

    def __init__(self, place, cpu=None, memory=None, weight=None):
        for folder in place.cold_folders:
            kernel.drop_pages(folder)
        self.place = place
        self.container = engine.Container(place.image, place.command, place.environment,
                                          place.mounts, cpu, memory, place.working_directory,
                                          weight)
        try:
            self.cgroup = kernel.Cgroup(self.container.pid)
        except OSError:  # it is gone already
            self.cgroup = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.container.remove()

    def replay(self, target, passes=3, requests=0, seconds=0.0, longest=60.0, fresh=False, seed=1,
               hopeless_ms=0.0, ready_seconds=120, end_seconds=END_LIMIT_S):
        """`fresh`: the container is new; its first visits are seen, all its workers are made to
        serve, and it is warmed until that makes it no faster. Killed after `end_seconds`."""
        command = [BIN / "bench-truth-replay", "--pid", self.container.pid,
                   "--rows", self.place.rows_file, "--port", self.place.port,
                   "--path", self.place.path, "--content-type", self.place.content_type,
                   "--ready-seconds", ready_seconds, "--timeout-seconds", 60, "--warm-passes", 1,
                   "--passes", passes, "--requests", requests, "--seconds", seconds,
                   "--longest", longest, "--seed", seed, "--connections", target.connections,
                   "--distinct", int(target.distinct), "--stop-at-failure", 1,
                   "--hopeless-ms", hopeless_ms]
        if fresh:
            command += ["--first-visits", 1, "--together", target.together, "--steady", 1,
                        "--warm-longest", target.warm_seconds]
        if target.rate:
            command += ["--rate", target.rate]
        else:
            command += ["--concurrency", target.concurrency]
        if self.cgroup is None:
            return self._gone()
        child = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE,
                                 stderr=subprocess.DEVNULL, text=True)
        self.ended_late = False
        watchdog = threading.Thread(target=self._watch, args=(child, end_seconds), daemon=True)
        watchdog.start()
        try:
            seen = [(json.loads(line), self._counters()) for line in child.stdout]
        finally:
            child.kill()
            child.stdout.close()
            child.wait()
            watchdog.join()
        return self._run(seen) if seen else self._gone()

    def _watch(self, child, end_seconds):
        """Ends the replay at its time limit, or once the kernel has killed for memory: all is known
        then, and a server whose worker is killed again and again would never get ready."""
        deadline = time.monotonic() + end_seconds
        while child.poll() is None:
            late = time.monotonic() > deadline
            if self.cgroup.oom_kills() or late:
                self.ended_late = late
                child.kill()
                return
            time.sleep(WATCH_INTERVAL_S)

    def _counters(self):
        return _Counters(time.monotonic(), kernel.host_busy_seconds(), self.cgroup.cpu_seconds(),
                         self.cgroup.throttled_seconds(), self.cgroup.cpu_by_process(),
                         self.cgroup.pages_read_back())

    def _run(self, seen):
        """`seen`: what the replay said, each line with the kernel's counters of that moment."""
        ready, *parts = seen
        failed = next((said for said, _ in parts if said["failures"]), None)
        run = Run(failures=failed["failures"] if failed else 0,
                  first_failure=failed["firstFailure"] if failed else "",
                  ready_seconds=ready[0]["readySeconds"], oom_killed=self._oom_killed(),
                  peak_bytes=self.cgroup.peak_bytes() or 0,
                  gave_up=any(said["gaveUp"] for said, _ in parts),
                  replay_seconds=seen[-1][1].at - ready[1].at)
        client_cpu = 0.0
        for (_, before), (said, after) in zip(seen, parts):
            if said["part"] in LOADS:
                run.parts[said["part"]] = _part(said, before, after)
                run.load_cpu_seconds += after.since(before, "cpu")
                run.uncounted = run.uncounted or not (before.complete and after.complete)
            if said["part"] == "firstVisits":
                run.first_visits = {"p50Ms": said["p50Ms"], "p95Ms": said["p95Ms"],
                                    "mostMs": said["mostMs"],
                                    "cpuSeconds": round(after.since(before, "cpu"), 4)}
            client_cpu = said["clientCpuSeconds"]
        if not failed and (self.ended_late or not set(run.parts) & set(LOADS)):
            run.failures, run.first_failure = 1, "the replay was killed"
        _add_use(run, ready[1], seen[-1][1], client_cpu)
        return run

    def _gone(self):
        return Run(1, "it did not get ready", 0, self._oom_killed(), 0)

    def _oom_killed(self):
        kills = self.cgroup.oom_kills() if self.cgroup else None
        if kills is not None:
            return kills > 0
        # The container is ending; the engine learns of the kill a moment later.
        deadline = time.monotonic() + ENGINE_LAG_S
        while not (killed := self.container.state()["OOMKilled"]) and time.monotonic() < deadline:
            time.sleep(0.05)
        return killed


@dataclasses.dataclass
class _Counters:
    at: float
    busy: float
    cpu: float
    throttled: float
    processes: dict
    read_back: int | None = None

    @property
    def complete(self):
        return None not in (self.cpu, self.throttled, self.read_back)

    def since(self, before, name):
        """0 where the cgroup was gone already."""
        values = getattr(self, name), getattr(before, name)
        return 0.0 if None in values else max(values[0] - values[1], 0.0)


def _part(said, before, after):
    seconds = max(said["seconds"], 1e-6)
    return judgement.Part(said["answered"], said["answered"] / seconds, said["p50Ms"],
                          said["p95Ms"], said["p99Ms"],
                          round(after.since(before, "cpu") / seconds, 3),
                          after.since(before, "throttled"), after.since(before, "read_back"))


def _add_use(run, first, last, client_cpu):
    took = max(last.at - first.at, 1e-3)
    own = last.since(first, "cpu")
    known = first.cpu is not None and last.cpu is not None
    run.cores = own / took
    run.other_cores = max(last.since(first, "busy") - own - client_cpu, 0) / took if known else 0
    used = [last.processes[pid] - first.processes.get(pid, 0) for pid in last.processes]
    run.served, run.processes = sum(cpu > 0 for cpu in used), len(used)


def quiet(replay):
    """The first undisturbed of several replays, else the one that was disturbed least."""
    runs = []
    for _ in range(1 + NOISE_RETRIES):
        runs.append(replay())
        if not runs[-1].noisy or not runs[-1].survived or runs[-1].gave_up:
            return runs[-1]
    return min(runs, key=lambda run: run.other_cores)


def fresh(place, target, cpu, memory, **how):
    with Serving(place, cpu, memory) as serving:
        return serving.replay(target, fresh=True, **how)


def beside_neighbour(place, target, weight, memory, **how):
    """Without a CPU limit, on a node that is full: others want all of it, and are as sure of the
    rest of its cores as this container is of `weight`."""
    rest = max(os.cpu_count() - weight, 0.1)
    with Serving(place, None, memory, weight) as serving:
        if serving.cgroup is None:
            return serving._gone()
        with neighbour.Neighbour(serving.cgroup, rest / weight, os.cpu_count()):
            return serving.replay(target, fresh=True, **how)
