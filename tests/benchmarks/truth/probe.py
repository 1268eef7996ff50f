"""One judgement of a target at some limits: a plain container, rows sent to it, what came of it."""

import dataclasses
import json
import os
import pathlib
import subprocess
import threading
import time

import engine
import kernel

ROOT_TESTS = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("MLPROF_BIN", ROOT_TESTS.parent / "build/release/bin"))
# A replay that other work on the host disturbed by more than this is done again.
NOISE_CORES_PER_CORE = 0.1
NOISE_RETRIES = 3
END_LIMIT_S = 300
ENGINE_LAG_S = 1.0
WATCH_INTERVAL_S = 0.25
REFERENCE_TOLERANCE = 1.10
HOPELESS = 1.5


@dataclasses.dataclass
class Run:
    """What one replay showed. `other_cores`: what neither the container nor the replay used."""
    answered: int
    failures: int
    first_failure: str
    p50_ms: float
    p95_ms: float
    seconds: float
    ready_seconds: float
    oom_killed: bool
    peak_bytes: int
    cores: float
    other_cores: float
    gave_up: bool = False  # so slow that it was not seen to its end

    @property
    def survived(self):
        return not self.oom_killed and self.failures == 0 and self.answered > 0

    @property
    def noisy(self):
        return self.other_cores > NOISE_CORES_PER_CORE * os.cpu_count()


class Serving:
    """A target in a container at some limits; several replays may follow each other."""

    def __init__(self, place, cpu=None, memory=None):
        for folder in place.cold_folders:
            kernel.drop_pages(folder)
        self.place = place
        self.container = engine.Container(place.image, place.command, place.environment,
                                          place.mounts, cpu, memory, place.working_directory)
        try:
            self.cgroup = kernel.Cgroup(self.container.pid)
        except OSError:  # it is gone already
            self.cgroup = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.container.remove()

    def replay(self, target, passes=3, seconds=0.0, longest=60.0, warm_passes=1, seed=1,
               hopeless_ms=0.0, ready_seconds=120):
        command = [BIN / "bench-truth-replay", "--pid", self.container.pid,
                   "--rows", self.place.rows_file, "--port", self.place.port,
                   "--path", self.place.path, "--content-type", self.place.content_type,
                   "--ready-seconds", ready_seconds, "--timeout-seconds", 60, "--warm-passes", warm_passes,
                   "--passes", passes, "--seconds", seconds, "--longest", longest, "--seed", seed,
                   "--stop-at-failure", 1, "--hopeless-ms", hopeless_ms]
        if target.rate:
            command += ["--rate", target.rate]
        else:
            command += ["--concurrency", target.concurrency]
        if self.cgroup is None:
            return self._gone()
        child = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE,
                                 stderr=subprocess.DEVNULL, text=True)
        watchdog = threading.Thread(target=self._watch, args=(child,), daemon=True)
        watchdog.start()
        try:
            first = json.loads(child.stdout.readline() or "{}")
            before = self._counters()
            last = child.stdout.readline()
            after = self._counters()
        finally:
            child.stdout.close()
            child.wait()
            watchdog.join()
        if "readySeconds" not in first:
            return self._gone()
        return self._run(first, json.loads(last or "{}"), before, after)

    def _watch(self, child):
        """Ends the replay at its time limit, or once the kernel has killed for memory: all is known
        then, and a server whose worker is killed again and again would never get ready."""
        deadline = time.monotonic() + END_LIMIT_S
        while child.poll() is None:
            if self.cgroup.oom_kills() or time.monotonic() > deadline:
                child.kill()
                return
            time.sleep(WATCH_INTERVAL_S)

    def _counters(self):
        return time.monotonic(), kernel.host_busy_seconds(), self.cgroup.cpu_seconds()

    def _run(self, first, last, before, after):
        took = max(after[0] - before[0], 1e-3)
        known = before[2] is not None and after[2] is not None
        own = after[2] - before[2] if known else 0.0
        other = after[1] - before[1] - own - last.get("clientCpuSeconds", 0) if known else 0.0
        return Run(answered=last.get("answered", 0), failures=last.get("failures", 1),
                   first_failure=last.get("firstFailure", "the replay was killed"),
                   p50_ms=last.get("p50Ms", 0), p95_ms=last.get("p95Ms", 0),
                   seconds=last.get("seconds", 0), ready_seconds=first["readySeconds"],
                   oom_killed=self._oom_killed(), peak_bytes=self.cgroup.peak_bytes() or 0,
                   cores=own / took, other_cores=max(other, 0) / took,
                   gave_up=last.get("gaveUp", False))

    def _gone(self):
        return Run(0, 1, "it did not get ready", 0, 0, 0, 0, self._oom_killed(), 0, 0, 0)

    def _oom_killed(self):
        kills = self.cgroup.oom_kills() if self.cgroup else None
        if kills is not None:
            return kills > 0
        # The container is ending; the engine learns of the kill a moment later.
        deadline = time.monotonic() + ENGINE_LAG_S
        while not (killed := self.container.state()["OOMKilled"]) and time.monotonic() < deadline:
            time.sleep(0.05)
        return killed


def quiet(replay):
    """The first undisturbed of several replays, else the one that was disturbed least."""
    runs = []
    for _ in range(1 + NOISE_RETRIES):
        runs.append(replay())
        if not runs[-1].noisy or not runs[-1].survived or runs[-1].gave_up:
            return runs[-1]
    return min(runs, key=lambda run: run.other_cores)


def bound_ms(target, ample_p95_ms):
    """What p95 may be: the target's own objective, else 1.10 of the p95 without limits."""
    return target.p95_ms or REFERENCE_TOLERANCE * ample_p95_ms


def holds(target, run, ample_p95_ms):
    return (run.survived and not run.gave_up
            and run.p95_ms <= bound_ms(target, ample_p95_ms))


def hopeless_ms(target, ample_p95_ms):
    """Answers beyond this are not waited for much longer."""
    return HOPELESS * bound_ms(target, ample_p95_ms)


def fresh(place, target, cpu, memory, **how):
    with Serving(place, cpu, memory) as serving:
        return serving.replay(target, **how)
