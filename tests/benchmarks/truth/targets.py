"""The targets, the most telling first: programs with a planted need, and real models.

A row of a planted target is words that tests/targets/target_server.cc obeys.
"""

import dataclasses

ROWS = 40


@dataclasses.dataclass(frozen=True)
class Target:
    name: str
    about: str
    options: tuple = ()  # of the target server
    rows: tuple = ()
    concurrency: int = 1
    rate: float = 0  # requests per second; 0: closed loop
    p95_ms: float = 0  # objective; 0: 1.10 of p95 without limits
    environment: tuple = ()  # (name, value)
    weights_mib: int = 0  # a file `weights.bin` in the model's folder
    model: str = ""  # a real one: folder below models/
    size: str = ""  # handed to its make.py
    grows: bool = False  # leaks: no limit is the need, only failures are counted
    distinct: bool = False  # the need is that of inputs which never come twice
    start_within_s: int = 0  # objective; 0: no word of it
    warm_seconds: int = 60  # at most, of each part of the warm-up
    # What was planted, (least, most): no honest answer lies outside. The most of memory has room
    # for a margin of a quarter.
    need_cpu: tuple = ()
    need_memory_mib: tuple = ()
    answerable: bool = True  # False: no limit holds, and an answer is a mistake

    @property
    def compiled(self):
        """A real model behind a server.go instead of a score.py."""
        return self.model.startswith("go_")

    @property
    def workers(self):
        """Processes that serve, 0 where it does not fork."""
        if self.model:
            return int(dict(self.environment).get("WORKER_COUNT", 0))
        if "--workers" not in self.options:
            return 0
        return self.options[self.options.index("--workers") + 1]

    @property
    def replaces_workers(self):
        """How many old and new ones meet is chance."""
        return "--max-requests" in self.options

    @property
    def heap_by_limit(self):
        """What it lacks of memory makes its requests dearer before it is killed."""
        return "--heap-share" in self.options

    @property
    def connections(self):
        """As its users come: where it forks, a kept-alive connection and a fresh one for each
        request are different things."""
        return "both" if self.workers else "keepAlive"

    @property
    def together(self):
        """Fresh connections in flight at once before anything is judged. Four a worker: an accept
        that prefers one worker has the others served too."""
        return 4 * self.workers or self.concurrency


def alike(work, count=ROWS):
    return tuple(f"{work} row{i}" for i in range(count))


def one_in(many, rare, common):
    """`many` rows, one of them other than the rest."""
    return (f"{rare} rare",) + alike(common, many - 1)


def spread(template, values, count=ROWS):
    return tuple(template.format(values[i % len(values)]) + f" row{i}" for i in range(count))


FIRST = (
    Target("cpu-20ms", "one thread, 20 ms a request", rows=alike("burn=20")),
    Target("load-spike-600", "600 MiB for 0.2 s while it loads, 150 MiB after",
           ("--start-mib", 150, "--start-spike-mib", 600, "--start-spike-ms", 200),
           alike("burn=10")),
    Target("row-spike-500", "500 MiB for 5 ms in one row of 40",
           ("--start-mib", 64), one_in(ROWS, "burn=10 spike=500:5", "burn=10")),
    Target("mapped-300", "300 MiB of weights mapped from a file, all of them hot",
           ("--map-file", "weights.bin"), alike("burn=10"), weights_mib=300),
    Target("sklearn-forest", "scikit-learn: 200 trees", model="sklearn_forest", size="200"),
    Target("pool-spins", "a thread a core of the host, waiting actively",
           ("--pool", "host", "--pool-spins"), alike("burn=40"), p95_ms=120),
    Target("sleep-50ms", "sleeps 50 ms, burns 1 ms", rows=alike("sleep=50 burn=1")),
    Target("paced-10rps", "20 ms of CPU, 10 requests/s, p95 below 100 ms", rows=alike("burn=20"),
           rate=10, p95_ms=100),
    Target("workers-4", "four processes of 60 MiB each",
           ("--workers", 4, "--worker-mib", 60, "--start-mib", 40), alike("burn=5 sleep=20"),
           concurrency=4),
    Target("onnx-mlp", "ONNX Runtime: a perceptron", model="onnx_mlp", size="2048"),
    Target("xgboost-trees", "XGBoost: 300 trees, one thread", model="xgboost_trees", size="300",
           environment=(("OMP_NUM_THREADS", "1"),)),
    Target("jax-mlp", "JAX on CPU: a perceptron, compiled at the start", model="jax_mlp",
           size="1024"),
)

MORE = (
    Target("keep-256", "256 MiB of weights on the heap", ("--start-mib", 256), alike("burn=10")),
    Target("keep-1024", "1 GiB of weights on the heap", ("--start-mib", 1024), alike("burn=10")),
    Target("mapped-300-quarter", "300 MiB mapped, a quarter of it hot",
           ("--map-file", "weights.bin", "--map-share", 0.25), alike("burn=10"),
           weights_mib=300),
    Target("mapped-600-tenth", "600 MiB mapped, a tenth of it hot, 128 MiB on the heap",
           ("--map-file", "weights.bin", "--map-share", 0.1, "--start-mib", 128),
           alike("burn=10"), weights_mib=600),
    Target("rows-mixed", "rows of 2 to 60 ms and 4 to 200 MiB",
           ("--start-mib", 100),
           tuple(f"burn={2 + 58 * i // ROWS} alloc={4 + 196 * i // ROWS} row{i}"
                 for i in range(ROWS))),
    Target("row-heavy", "one row of 40 takes 400 ms and 300 MiB", ("--start-mib", 64),
           one_in(ROWS, "burn=400 alloc=300", "burn=10")),
    Target("in-flight-4", "10 ms of CPU, four in flight, p95 below 100 ms",
           rows=alike("burn=10 alloc=30"), concurrency=4, p95_ms=100),
    Target("in-flight-8-sleep", "sleeps 40 ms, burns 2 ms, holds 24 MiB, eight in flight",
           ("--start-mib", 64), alike("burn=2 spike=24:40"), concurrency=8),
    Target("pool-waits", "two threads that sleep between regions", ("--pool", 2),
           alike("burn=40"), p95_ms=80),
    Target("pool-host", "a thread a core of the host, as fast as without limits",
           ("--pool", "host"), alike("burn=30")),
    Target("pool-4-spins", "four threads that wait actively", ("--pool", 4, "--pool-spins"),
           alike("burn=20"), p95_ms=150),
    Target("pool-told-1", "a pool that OMP_NUM_THREADS holds to one thread",
           ("--pool", "host", "--pool-spins"), alike("burn=20"),
           environment=(("OMP_NUM_THREADS", "1"),)),
    Target("leak-64k", "leaks 64 KiB a request", ("--start-mib", 100), alike("burn=10 leak=64"),
           grows=True),
    Target("leak-8k", "leaks 8 KiB a request", ("--start-mib", 100), alike("burn=5 leak=8"),
           grows=True),
    Target("paced-5rps-50ms", "50 ms of CPU, 5 requests/s, p95 below 250 ms",
           rows=alike("burn=50"), rate=5, p95_ms=250),
    Target("paced-40rps-5ms", "5 ms of CPU, 40 requests/s, p95 below 60 ms",
           ("--start-mib", 200), alike("burn=5"), rate=40, p95_ms=60),
    Target("paced-20rps-sleep", "sleeps 30 ms, burns 5 ms, 20 requests/s, p95 below 90 ms",
           ("--start-mib", 300), alike("sleep=30 burn=5"), rate=20, p95_ms=90),
    Target("slo-serial", "40 ms of CPU, one at a time, p95 below 100 ms", rows=alike("burn=40"),
           p95_ms=100),
    Target("slo-loose", "20 ms of CPU, one at a time, p95 below 250 ms", rows=alike("burn=20"),
           p95_ms=250),
    Target("cpu-2ms", "one thread, 2 ms a request", rows=alike("burn=2")),
    Target("cpu-120ms", "one thread, 120 ms a request", ("--start-mib", 400),
           alike("burn=120", 12)),
    Target("half-sleep", "10 ms of CPU, 10 ms of sleep", ("--start-mib", 48),
           alike("burn=10 sleep=10")),
    Target("start-slow", "burns 3 s before it listens", ("--start-ms", 3000, "--start-mib", 200),
           alike("burn=8")),
    Target("load-spike-tight", "320 MiB while it loads, 300 MiB after",
           ("--start-mib", 300, "--start-spike-mib", 20, "--start-spike-ms", 20),
           alike("burn=10")),
    Target("row-spike-200", "200 MiB for 20 ms in one row of 200", ("--start-mib", 300),
           one_in(200, "burn=5 spike=200:20", "burn=5")),
    Target("workers-2-cpu", "two processes, both busy", ("--workers", 2, "--worker-mib", 100),
           alike("burn=15"), concurrency=2),
    Target("sklearn-forest-big", "scikit-learn: 800 trees", model="sklearn_forest", size="800"),
    Target("onnx-mlp-small", "ONNX Runtime: a small perceptron", model="onnx_mlp", size="256"),
    Target("xgboost-trees-big", "XGBoost: 800 trees, a thread a core of the host",
           model="xgboost_trees", size="800", p95_ms=250),
    Target("sklearn-text", "scikit-learn: kinds of texts, 20,000 words and their pairs",
           model="sklearn_text", size="20000"),
    Target("sklearn-neighbours",
           "scikit-learn: the nearest of 20,000 samples, in threads of OpenMP",
           model="sklearn_neighbours", size="20000"),
    Target("sklearn-text-workers-3", "the same texts in three processes of the Azure server",
           model="sklearn_text", size="20000", environment=(("WORKER_COUNT", "3"),), concurrency=2),
    Target("go-trees", "Go: 300 boosted trees behind net/http, two rows in flight",
           model="go_trees", size="300", concurrency=2),
    Target("sklearn-forest-workers-2", "200 trees in two processes of the Azure server",
           model="sklearn_forest", size="200", environment=(("WORKER_COUNT", "2"),), concurrency=2),
    Target("onnx-mlp-workers-2", "the small perceptron in two processes of the Azure server",
           model="onnx_mlp", size="256", concurrency=2, environment=(("WORKER_COUNT", "2"),)),
)

# Servers as people run them: workers, short rows, slow starts, cold rows.
SERVERS = (
    Target("rows-1ms", "one thread, 1 ms a request: a quota stops every period",
           rows=alike("burn=1"), need_cpu=(0.9, 1.1), need_memory_mib=(1, 48)),
    Target("rows-1ms-paced", "1 ms of CPU, 100 requests/s, p95 below 20 ms",
           rows=alike("burn=1"), rate=100, p95_ms=20, need_cpu=(0.1, 0.4),
           need_memory_mib=(1, 48)),
    Target("workers-4-lazy", "four processes that load 200 MiB each at their first request",
           ("--workers", 4, "--worker-lazy-mib", 200), alike("burn=5 sleep=20"),
           need_cpu=(0.1, 0.5), need_memory_mib=(800, 1030)),
    Target("workers-4-first-idle", "four lazy ones of 100 MiB; the first idle one gets what comes",
           ("--workers", 4, "--worker-lazy-mib", 100, "--first-idle"), alike("burn=5 sleep=20"),
           need_cpu=(0.1, 0.5), need_memory_mib=(400, 530)),
    Target("workers-idle", "two processes of 60 MiB serve, two more never get a connection",
           ("--workers", 2, "--worker-mib", 60, "--idle-workers", 2), alike("burn=10 sleep=10"),
           need_memory_mib=(120, 190)),
    Target("workers-64", "64 processes that load 8 MiB each at their first request",
           ("--workers", 64, "--worker-lazy-mib", 8), alike("burn=5 sleep=20"),
           need_memory_mib=(512, 760)),
    Target("workers-replaced", "two processes of 100 MiB; each is replaced after 50 requests, and "
           "the new one is there before the old one leaves",
           ("--workers", 2, "--worker-mib", 100, "--max-requests", 50), alike("burn=10"),
           need_memory_mib=(300, 540)),
    Target("closes", "closes the connection after each response", ("--close",),
           alike("burn=10"), need_cpu=(0.9, 1.1), need_memory_mib=(1, 48)),
    Target("first-visit-300ms",
           "300 ms of CPU on a row's first visit, then 1 ms and 50 ms of sleep",
           rows=alike("first=300 sleep=50 burn=1", 20), warm_seconds=150, need_cpu=(0.1, 0.2),
           need_memory_mib=(1, 48)),
    Target("response-cache", "20 ms of CPU, none for an input seen before; inputs never come twice",
           ("--response-cache",), alike("burn=20"), distinct=True, need_cpu=(0.9, 1.1),
           need_memory_mib=(1, 48)),
    Target("cache-64k", "keeps 64 KiB for each of 5000 different inputs, 313 MiB when full",
           rows=alike("burn=1 cache=64", 5000), need_memory_mib=(313, 430)),
    Target("cache-bounded", "keeps 1 MiB for each input, 128 MiB at most",
           ("--cache-max-mib", 128), alike("burn=5 cache=1024", 400), need_memory_mib=(128, 190)),
    Target("heap-quarter", "a heap of a quarter of the memory limit, 100 MiB of it alive",
           ("--heap-share", 0.25, "--heap-live-mib", 100, "--start-mib", 40),
           alike("burn=10 heap=8"), need_memory_mib=(432, 560)),
    Target("leak-fast", "leaks 256 KiB a request, 500 requests/s", rows=alike("burn=2 leak=256"),
           grows=True),
    Target("heavy-1-in-20", "one row of 20 takes 40 ms of CPU, each sleeps 50 ms",
           rows=one_in(20, "sleep=50 burn=40", "sleep=50 burn=1"), need_cpu=(0.2, 0.6),
           need_memory_mib=(1, 48)),
    Target("start-60s", "waits 60 s before it listens", ("--start-sleep-ms", 60_000),
           alike("burn=8"), need_cpu=(0.9, 1.1), need_memory_mib=(1, 48)),
    Target("start-10-cpu-seconds", "burns 10 s before it listens, then 1 ms a row",
           ("--start-ms", 10_000), alike("sleep=50 burn=1"), need_cpu=(0.1, 0.5),
           need_memory_mib=(1, 48)),
    Target("start-within-30s", "burns 10 s before it listens, and must be ready in 30 s",
           ("--start-ms", 10_000), alike("sleep=50 burn=1"), start_within_s=30,
           need_cpu=(0.4, 0.5), need_memory_mib=(1, 48)),
    Target("start-never", "never listens", ("--start-sleep-ms", 86_400_000), alike("burn=1"),
           answerable=False),
    Target("in-order", "fails where rows come in another order", ("--in-order",), alike("burn=10"),
           answerable=False),
)

ALL = FIRST + MORE + SERVERS
