#!/usr/bin/env python3
"""Writes a large device trace whose every number is known: an XSpace of TensorCores that run the same
program, step after step, started by the host.

usage: make_trace.py FILE [--cores 8] [--steps 2000] [--ops 120] [--seed 1]
"""

import argparse
import random

CATEGORIES = ["convolution fusion", "loop fusion", "copy", "all-reduce", "output fusion"]
PROGRAM_ID = 4242424242
PS_OF_US = 1_000_000


def varint(value):
    out = bytearray()
    value &= (1 << 64) - 1
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def text(field, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


def double(field, value):
    import struct
    return varint(field << 3 | 1) + struct.pack("<d", value)


class Names:
    """Ids by name, in the order of their first use."""

    def __init__(self):
        self.ids = {}

    def __call__(self, name):
        return self.ids.setdefault(name, len(self.ids) + 1)

    def encoded(self):
        return b"".join(text(5, number(1, i) + text(2, number(1, i) + text(2, name)))
                        for name, i in self.ids.items())


def operations(count, seed):
    """Name, category, microseconds and facts of each operation of a step."""
    chance = random.Random(seed)
    out = []
    for i in range(count):
        category = CATEGORIES[i % len(CATEGORIES)]
        size = 8 * chance.randint(1, 64)
        out.append({"name": f"fusion.{i}", "category": category, "us": chance.randint(2, 20),
                    "flops": size * size * 128 if "fusion" in category else 0,
                    "bytes": size * size * 4,
                    "text": f"%fusion.{i} = f32[{size},{size}]{{1,0:T(8,128)}} fusion(%p), "
                            f"kind=kLoop, calls=%fused_computation.{i}",
                    "tf_op": f"jit(step)/jit(main)/layer_{i // 10}/op_{i}:"})
    return out


def core_plane(core, steps, ops, period_us):
    names = Names()
    metadata = []
    for i, op in enumerate(ops, 1):
        breakdown = text(1, number(1, 1) + number(2, 1) + number(3, op["bytes"]))
        stats = [number(1, names("program_id")) + number(3, PROGRAM_ID),
                 number(1, names("symbol_id")) + number(3, i),
                 number(1, names("hlo_category")) + text(5, op["category"]),
                 number(1, names("tf_op")) + text(5, op["tf_op"]),
                 number(1, names("flops")) + number(3, op["flops"]),
                 number(1, names("bytes_accessed")) + number(3, op["bytes"]),
                 number(1, names("memory_access_breakdown")) + text(6, breakdown),
                 number(1, names("source")) + text(5, f"/app/model.py:{i}")]
        value = (number(1, i) + text(2, op["text"]) + text(4, op["name"]) +
                 b"".join(text(5, stat) for stat in stats))
        metadata.append(text(4, number(1, i) + text(2, value)))
    module, step_name = len(ops) + 1, len(ops) + 2
    for i, name in ((module, f"jit_step({PROGRAM_ID})"), (step_name, "step")):
        metadata.append(text(4, number(1, i) + text(2, number(1, i) + text(2, name))))
    run, queue = names("run_id"), names("queue_id")
    offset, duration = names("device_offset_ps"), names("device_duration_ps")
    op_events, modules, step_events = [], [], []
    busy_us = sum(op["us"] for op in ops)
    tails = [number(3, op["us"] * PS_OF_US) for op in ops]
    durations = [text(4, number(1, duration) + number(3, op["us"] * PS_OF_US)) for op in ops]
    for step in range(steps):
        at = step * period_us
        modules.append(text(4, number(1, module) + number(2, at * PS_OF_US) +
                            number(3, busy_us * PS_OF_US) +
                            text(4, number(1, run) + number(3, step + 1)) +
                            text(4, number(1, queue) + number(3, 0))))
        step_events.append(text(4, number(1, step_name) + number(2, at * PS_OF_US) +
                                number(3, (busy_us + 10) * PS_OF_US)))
        for i, op in enumerate(ops):
            start = varint(at * PS_OF_US)
            op_events.append(text(4, b"\x08" + varint(i + 1) + b"\x10" + start + tails[i] +
                                  text(4, number(1, offset) + b"\x18" + start) + durations[i]))
            at += op["us"]
    lines = [text(3, number(1, i) + text(2, name) + b"".join(events)) for i, name, events in
             ((1, "Steps", step_events), (2, "XLA Modules", modules), (3, "XLA Ops", op_events))]
    facts = [number(1, names("device_type_string")) + text(5, "TPU v5 Lite"),
             number(1, names("peak_teraflops_per_second")) + double(2, 197.0),
             number(1, names("peak_hbm_bw_gigabytes_per_second")) + double(2, 819.0)]
    return (number(1, core + 1) + text(2, f"/device:TPU:{core}") + b"".join(lines) +
            b"".join(metadata) + names.encoded() + b"".join(text(6, fact) for fact in facts))


def host_plane(cores, steps, period_us):
    names = Names()
    root, step_num = names("_r"), names("step_num")
    ordinal, queue, run = names("device_ordinal"), names("queue_id"), names("run_id")
    events = []
    for step in range(steps):
        at = step * period_us * PS_OF_US
        events.append(text(4, number(1, 1) + number(2, at) + number(3, (period_us - 1) * PS_OF_US) +
                           text(4, number(1, root) + number(4, 1)) +
                           text(4, number(1, step_num) + number(4, step))))
        for core in range(cores):
            events.append(text(4, number(1, 2) + number(2, at + (core + 1) * PS_OF_US // 10) +
                               number(3, PS_OF_US // 20) +
                               text(4, number(1, ordinal) + number(4, core)) +
                               text(4, number(1, queue) + number(4, 0)) +
                               text(4, number(1, run) + number(4, step + 1))))
    metadata = b"".join(text(4, number(1, i) + text(2, number(1, i) + text(2, name)))
                        for i, name in ((1, "train"), (2, "DoEnqueueProgram")))
    return (number(1, 0) + text(2, "/host:CPU") +
            text(3, number(1, 1) + text(2, "python") + b"".join(events)) + metadata +
            names.encoded())


def make(file, cores=8, steps=2000, ops=120, seed=1):
    """Writes the trace; gives how many operations ran in it."""
    program = operations(ops, seed)
    period_us = sum(op["us"] for op in program) + 50
    with open(file, "wb") as out:
        for core in range(cores):
            out.write(text(1, core_plane(core, steps, program, period_us)))
        out.write(text(1, host_plane(cores, steps, period_us)))
        module = text(2, f"jit_step({PROGRAM_ID})") + number(1, 1)
        out.write(text(1, number(1, 99) + text(2, "/host:metadata") +
                       text(4, number(1, 1) + text(2, module))))
        out.write(text(4, "made-host"))
    return cores * steps * ops


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file")
    parser.add_argument("--cores", type=int, default=8)
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--ops", type=int, default=120)
    parser.add_argument("--seed", type=int, default=1)
    told = parser.parse_args()
    count = make(told.file, told.cores, told.steps, told.ops, told.seed)
    print(f"{told.file}: {count} operations")


if __name__ == "__main__":
    main()
