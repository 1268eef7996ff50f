"""Small device traces with known numbers, for what no machine here has: a GPU, and a TPU that waits
for its host's input."""

import sys

from server import ROOT

sys.path.insert(0, str(ROOT / "tests/benchmarks/trace"))

from make_trace import PS_OF_US, Names, core_plane, number, operations, text  # noqa: E402


def event(name, start_us, duration_us, *stats):
    return text(4, number(1, name) + number(2, start_us * PS_OF_US) +
                number(3, duration_us * PS_OF_US) + b"".join(stats))


def stat(name, value):
    return text(4, number(1, name) + (text(5, value) if isinstance(value, str) else
                                      number(4, value)))


def plane(number_of_it, name, lines, events, stats):
    return text(1, number(1, number_of_it) + text(2, name) +
                b"".join(text(3, number(1, i) + text(2, line) + b"".join(content))
                         for i, (line, content) in enumerate(lines, 1)) +
                b"".join(text(4, number(1, i) + text(2, number(1, i) + text(2, said)))
                         for i, said in enumerate(events, 1)) + stats.encoded())


def write_gpu(file, steps=10):
    """Steps of 690 us on the device: 100 copied in, 300 computed, 50 collective, 40 copied out."""
    host, device = Names(), Names()
    host_events, copies, kernels = [], [], []
    parts = ((1, 50, 100, copies), (2, 200, 200, kernels), (3, 420, 100, kernels),
             (4, 550, 50, kernels), (5, 700, 40, copies))
    launch = 0
    for step in range(steps):
        at = 1000 * step
        host_events.append(event(1, at, 900, stat(host("_r"), 1), stat(host("step_num"), step)))
        for place, (name, offset, duration, line) in enumerate(parts):
            launch += 1
            host_events.append(event(2, at + 10 + 5 * place, 3,
                                     stat(host("correlation_id"), launch)))
            ends = {1: ("pinned", "device"), 5: ("device", "pinned")}.get(name)
            more = (stat(device("memcpy_details"), f"kind_src:{ends[0]} kind_dst:{ends[1]} size:64")
                    if ends else stat(device("tf_op"), "model/dense/MatMul:MatMul"))
            line.append(event(name, at + offset, duration,
                              stat(device("correlation_id"), launch), more))
    file.write_bytes(
        plane(1, "/device:GPU:0", [("Stream #1(Memcpy)", copies), ("Stream #13(Compute)", kernels)],
              ["MemcpyHToD", "gemm", "half_gemm", "ncclAllReduce", "MemcpyDToH"], device) +
        plane(2, "/host:CPU", [("python", host_events)], ["infer", "cuLaunchKernel"], host) +
        text(4, "made-host"))


def write_tpu_that_waits(file, steps=10):
    """A core whose steps are idle for 10 us, while the host waits for its input for 4."""
    ops = operations(6, 3)
    period = sum(op["us"] for op in ops) + 50
    host = Names()
    events = []
    for step in range(steps):
        at = step * period
        events += [event(1, at, period - 1, stat(host("_r"), 1), stat(host("step_num"), step)),
                   event(2, at + 1, 1, stat(host("device_ordinal"), 0), stat(host("queue_id"), 0),
                         stat(host("run_id"), step + 1)),
                   event(3, at + 4, 4)]
    file.write_bytes(text(1, core_plane(0, steps, ops, period)) +
                     plane(9, "/host:CPU", [("python", events)],
                           ["infer", "DoEnqueueProgram", "IteratorGetNext"], host) +
                     text(4, "made-host"))


def write_uneven_tpu(file, steps=5):
    """Two cores, of which the second takes 30 us longer for each step."""
    ops = operations(6, 3)
    slow = [*ops[:-1], {**ops[-1], "us": ops[-1]["us"] + 30}]
    period = sum(op["us"] for op in slow) + 50
    file.write_bytes(text(1, core_plane(0, steps, ops, period)) +
                     text(1, core_plane(1, steps, slow, period)) + text(4, "made-host"))
