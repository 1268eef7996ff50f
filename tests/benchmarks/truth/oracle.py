"""The true need of a target, by brute force: smaller limits are tried until they fail."""

import os

import probe

GRID_MEMORY = 16 << 20
PASSES = 3
# A CPU limit is judged over so many seconds and passes, whichever is longer.
JUDGE_SECONDS = 3.0
JUDGE_LONGEST = 20.0
MOST_RAISES = 10
# A start that takes so many times as long as without limits is none.
SLOW_START = 10
SHORTEST_START_S = 20
AMPLE_RUNS = 3


def find(place, target, say):
    """{"cpu", "memoryInBytes", "ampleP95Ms", …} or {"error"} where it fails without limits."""
    ample, runs = _ample(place, target, say)
    if not ample.survived:
        return {"error": f"without limits: {ample.first_failure}, OOM {ample.oom_killed}"}
    ample.peak_bytes = max(run.peak_bytes for run in runs)
    say(f"without limits: p95 {ample.p95_ms:.2f} ms, {ample.cores:.2f} cores, "
        f"peak {ample.peak_bytes >> 20} MiB")
    memory, tried_memory = _memory(place, target, ample, say)
    cpu, tried_cpu = _cpu(place, target, ample, say)
    cpu, memory = _together(place, target, ample, cpu, memory, say)
    return {"cpu": cpu, "memoryInBytes": memory, "ampleP95Ms": ample.p95_ms,
            "ampleP95AllMs": [run.p95_ms for run in runs],
            "ampleCores": ample.cores, "amplePeakInBytes": ample.peak_bytes,
            "boundMs": probe.bound_ms(target, ample.p95_ms), "readySeconds": ample.ready_seconds,
            "triedMemory": tried_memory, "triedCpu": tried_cpu}


def _ample(place, target, say):
    """The run of middle p95 of three containers without limits: pools of threads that wait actively
    may settle otherwise in each."""
    runs = []
    for _ in range(AMPLE_RUNS):
        runs.append(probe.quiet(lambda: probe.fresh(place, target, None, None, passes=PASSES,
                                                    seconds=JUDGE_SECONDS,
                                                    longest=JUDGE_LONGEST)))
        if not runs[-1].survived:
            return runs[-1], runs
    say("without limits: p95 " + ", ".join(f"{run.p95_ms:.2f}" for run in runs) + " ms")
    return sorted(runs, key=lambda run: run.p95_ms)[AMPLE_RUNS // 2], runs


def _memory(place, target, ample, say):
    """The smallest multiple of 16 MiB that holds, by bisection below what was ever charged."""
    tried = {}
    hopeless = probe.hopeless_ms(target, ample.p95_ms)
    ready_seconds = max(SHORTEST_START_S, round(SLOW_START * ample.ready_seconds))

    def judge(steps):
        return probe.fresh(place, target, None, steps * GRID_MEMORY, passes=PASSES,
                           hopeless_ms=hopeless, ready_seconds=ready_seconds)

    def passes(steps):
        run = judge(steps)
        good = probe.holds(target, run, ample.p95_ms)
        # Slow, but alive: the host may have been at fault.
        for _ in range(2):
            if good or not run.survived:
                break
            run = probe.quiet(lambda: judge(steps))
            good = probe.holds(target, run, ample.p95_ms)
        why = "OOM" if run.oom_killed else run.first_failure or f"p95 {run.p95_ms:.2f} ms"
        tried[steps * 16] = "held" if good else why
        say(f"{steps * 16} MiB: {tried[steps * 16]}")
        return good

    # Above what was ever charged memory cannot slow anything down, whatever the host does.
    high = max(2, -(-ample.peak_bytes // GRID_MEMORY) + 1)
    for _ in range(MOST_RAISES):
        if probe.fresh(place, target, None, high * GRID_MEMORY, longest=10, passes=1).survived:
            break
        high = -(-high * 5 // 4)
    need = _smallest(0, high, high - 1, passes)
    return need * GRID_MEMORY, tried


def _cpu(place, target, ample, say):
    """The smallest 0.1 step that holds; a limit is judged twice, and a third time if in doubt."""
    tried = {}
    hopeless = probe.hopeless_ms(target, ample.p95_ms)
    with probe.Serving(place) as serving:
        serving.replay(target, passes=1)

        def passes(tenths):
            serving.container.set_cpu(tenths / 10)
            seen = []
            while len(seen) < 2 or (len(seen) == 2 and seen[0] != seen[1]):
                run = probe.quiet(lambda: serving.replay(
                    target, passes=1, seconds=JUDGE_SECONDS, longest=JUDGE_LONGEST,
                    seed=1 + len(seen), hopeless_ms=hopeless))
                seen.append(probe.holds(target, run, ample.p95_ms))
                tried.setdefault(f"{tenths / 10:.1f}", []).append(round(run.p95_ms, 2))
            good = sum(seen) * 2 > len(seen)
            say(f"{tenths / 10:.1f} cores: p95 {tried[f'{tenths / 10:.1f}']} ms, "
                f"{'held' if good else 'missed'}")
            return good

        highest = os.cpu_count() * 10
        need = _smallest(0, highest, min(max(round(ample.cores * 10), 1), highest - 1), passes)
    return need / 10, tried


def _smallest(low, high, guess, passes):
    """Between `low`, which fails, and `high`, which holds; in growing steps around a guess."""
    step = 1
    while high - low > 1:
        at = guess if low < guess < high else (low + high) // 2
        if passes(at):
            high = at
            guess = high - step
        else:
            low = at
            guess = low + step
        step *= 2
    return high


def _enough_memory(place, target, ample, memory):
    """Whether it holds with all the CPU there is: pages read again and again make slow as well."""
    run = probe.quiet(lambda: probe.fresh(place, target, None, memory, passes=PASSES,
                                          hopeless_ms=probe.hopeless_ms(target, ample.p95_ms)))
    return probe.holds(target, run, ample.p95_ms)


def _together(place, target, ample, cpu, memory, say):
    """Both limits at once, on fresh containers; what falls short is raised where they do not hold."""
    for _ in range(MOST_RAISES):
        for _ in range(2):
            run = probe.quiet(lambda: probe.fresh(place, target, cpu, memory, passes=PASSES,
                                                  seconds=JUDGE_SECONDS, longest=JUDGE_LONGEST))
            if probe.holds(target, run, ample.p95_ms):
                return cpu, memory
        if run.oom_killed or not _enough_memory(place, target, ample, memory):
            memory += GRID_MEMORY
        elif cpu < os.cpu_count():
            cpu = round(cpu + 0.1, 1)
        else:
            break
        say(f"together they do not hold ({run.first_failure or run.p95_ms}): "
            f"now {cpu} cores and {memory >> 20} MiB")
    return cpu, memory
