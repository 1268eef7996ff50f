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
)

ALL = FIRST + MORE
