"""The true need of a target, by brute force: smaller limits are tried until they fail."""

import contextlib
import os
import statistics

import judgement
import probe

# Raised where the rule by which a limit holds changes: what was found by another is found anew.
RULE = 3
GRID_MEMORY = 16 << 20
PASSES = 3
# A CPU limit is judged over so many seconds (30 periods of the quota), passes and requests,
# whichever is longest.
JUDGE_SECONDS = 3.0
JUDGE_LONGEST = 20.0
MOST_RAISES = 10
# A start that takes so many times as long as without limits is none, where no time was asked for.
SLOW_START = 10
SHORTEST_START_S = 20
# Likewise a replay: one that reads its pages again and again may take for ever, and would be far too
# slow at its end. One look is enough, for no host becomes that much slower.
SLOW_REPLAY = 10
SHORTEST_REPLAY_S = 60
START_S = 120
AMPLE_RUNS = 3
# How a limit is looked at in a container of its own.
LOOK = {"passes": PASSES, "requests": judgement.P95_REQUESTS, "seconds": JUDGE_SECONDS,
        "longest": JUDGE_LONGEST}


class References:
    """Runs without limits, taken in turns with those at a limit; the last few are the reference."""

    def __init__(self, runs):
        self.runs = list(runs)

    def add(self, run):
        if run.survived:
            self.runs.append(run)

    def now(self):
        return judgement.reference(self.runs[-AMPLE_RUNS:])

    def cost_ms(self):
        """CPU of a request."""
        return statistics.median(run.cost_ms for run in self.runs[-AMPLE_RUNS:])

    def lacked_memory(self, run):
        return run.oom_killed or judgement.lacked_memory(run, self.cost_ms())

    def memory_miss(self, target, run):
        return judgement.memory_miss(target, run, self.now(), self.cost_ms())


def find(place, target, say):
    """{"cpu", "cpuInterval", "memoryInBytes", …} or {"error"} where it fails without limits."""
    runs = ample_runs(place, target, say)
    if not runs[-1].survived:
        return {"rule": RULE, "error": f"without limits: {runs[-1].first_failure}, "
                                       f"OOM {runs[-1].oom_killed}"}
    ample = max(runs, key=lambda run: run.peak_bytes)
    say(f"without limits: {ample.cores:.2f} cores, peak {ample.peak_bytes >> 20} MiB, "
        f"{ample.served} of {ample.processes} processes served, ready in "
        f"{ample.ready_seconds:.1f} s, first visits p50 {ample.first_visits['p50Ms']:.2f} ms and "
        f"{ample.first_visits['cpuSeconds']:.2f} CPU-seconds")
    without = References(runs)
    memory, memory_votes, tried_memory = _memory(place, target, ample, without, say)
    cpu, cpu_votes, tried_cpu = _cpu(place, target, ample, without, say)
    cpu_interval = judgement.interval(cpu_votes, cpu)
    memory_interval = judgement.interval(memory_votes, memory)
    cpu, memory, last, confirmed = _together(
        place, target, without, [cpu, *cpu_interval], [memory, *memory_interval], say)
    return {"rule": RULE, "confirmed": confirmed,
            "cpu": cpu[0] / 10, "memoryInBytes": memory[0] * GRID_MEMORY,
            "cpuInterval": [tenths / 10 for tenths in cpu[1:]],
            "memoryIntervalInBytes": [steps * GRID_MEMORY for steps in memory[1:]],
            "reference": judgement.stored(judgement.reference(runs)),
            "ampleP95AllMs": [run.p95_ms for run in runs],
            "ampleCores": ample.cores, "amplePeakInBytes": ample.peak_bytes,
            "firstVisits": ample.first_visits, "served": [ample.served, ample.processes],
            "readySeconds": ample.ready_seconds, "readySecondsAtNeed": last.ready_seconds,
            "triedMemory": tried_memory, "triedCpu": tried_cpu}


def told(true):
    """A sentence: the intervals, and how it starts."""
    memory = [size >> 20 for size in true["memoryIntervalInBytes"]]
    doubt = "" if true.get("confirmed") else ", not seen to hold together"
    return (f"needs {judgement.between(*true['cpuInterval'], '.1f')} cores, "
            f"{judgement.between(*memory)} MiB{doubt}; starts in {true['readySeconds']:.1f} s, "
            f"{true['readySecondsAtNeed']:.1f} s at these limits")


def ample_runs(place, target, say):
    """Containers without limits: pools of threads that wait actively may settle otherwise in each.
    The last one did not survive where one did not."""
    runs = []
    while len(runs) < AMPLE_RUNS and (not runs or runs[-1].survived):
        runs.append(probe.quiet(lambda: probe.fresh(
            place, target, None, None, ready_seconds=longest_start(target), **LOOK)))
    if runs[-1].survived:
        say("without limits: " + "; ".join(map(_told, runs)))
    return runs


def _told(run):
    return ", ".join(f"{name} p95 {part.p95_ms:.2f}, p99 {part.p99_ms:.2f} ms, "
                     f"{part.per_second:.1f}/s" for name, part in run.parts.items())


def longest_start(target, ample_seconds=0.0):
    """How long a start may take that took `ample_seconds` without limits."""
    return target.start_within_s or max(START_S, round(SLOW_START * ample_seconds))


def _memory(place, target, ample, without, say):
    """The smallest multiple of 16 MiB that holds, by bisection below what was ever charged."""
    votes, tried = {}, {}
    # All the CPU there is makes a start that is slow one that lacks memory.
    ready_seconds = max(SHORTEST_START_S, round(SLOW_START * ample.ready_seconds))
    longest = max(run.replay_seconds for run in without.runs)
    end_seconds = ready_seconds + max(SHORTEST_REPLAY_S, SLOW_REPLAY * longest)

    def judge(steps):
        return probe.fresh(place, target, None, steps * GRID_MEMORY, passes=PASSES,
                           hopeless_ms=judgement.hopeless_ms(target, without.now()),
                           ready_seconds=ready_seconds, end_seconds=end_seconds)

    def passes(steps):
        seen = votes.setdefault(steps, [])
        run = judge(steps)
        why = without.memory_miss(target, run)
        seen.append(not why)
        # Slow, but alive: the host may have been at fault.
        for _ in range(2):
            if not why or not run.survived:
                break
            without.add(_reference(place, target))
            run = probe.quiet(lambda: judge(steps))
            why = without.memory_miss(target, run)
            seen.append(not why)
        tried[steps * 16] = why or "held"
        say(f"{steps * 16} MiB: {tried[steps * 16]}")
        return not why

    # Above what was ever charged memory cannot slow anything down, whatever the host does.
    high = max(2, -(-ample.peak_bytes // GRID_MEMORY) + 1)
    for _ in range(MOST_RAISES):
        if probe.fresh(place, target, None, high * GRID_MEMORY, longest=10, passes=1).survived:
            break
        high = -(-high * 5 // 4)
    return _smallest(0, high, high - 1, passes), votes, tried


def _reference(place, target):
    return probe.fresh(place, target, None, None, **LOOK)


def _cpu(place, target, ample, without, say):
    """The smallest 0.1 step that holds; a limit is judged twice, and a third time if in doubt, each
    look with one without a limit before it."""
    votes, tried = {}, {}
    with contextlib.ExitStack() as held:

        def new_container():
            held.close()
            serving = held.enter_context(probe.Serving(place))
            serving.replay(target, passes=1, fresh=True)
            return serving

        serving = new_container()

        def look(tenths, seed):
            serving.container.set_cpu(tenths / 10 if tenths else None)
            hopeless = judgement.hopeless_ms(target, without.now()) if tenths else 0
            return probe.quiet(lambda: serving.replay(target, **{**LOOK, "passes": 1}, seed=seed,
                                                      hopeless_ms=hopeless))

        def passes(tenths):
            nonlocal serving
            if target.grows:  # or all looks together would fill the host
                serving = new_container()
            seen = votes.setdefault(tenths, [])
            said = tried.setdefault(f"{tenths / 10:.1f}", [])
            while len(seen) < 2 or (len(seen) == 2 and seen[0] != seen[1]):
                without.add(look(None, 1 + len(seen)))
                run = look(tenths, 1 + len(seen))
                why = judgement.miss(target, run, without.now())
                seen.append(not why)
                said.append(why or f"held: {_told(run)}")
            good = sum(seen) * 2 > len(seen)
            say(f"{tenths / 10:.1f} cores {'held' if good else 'missed'}: {'; '.join(said)}")
            return good

        highest = os.cpu_count() * 10
        need = _smallest(0, highest, min(max(round(ample.cores * 10), 1), highest - 1), passes)
    return need, votes, tried


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


def _enough_memory(place, target, without, memory):
    """Whether it holds with all the CPU there is: pages read again and again make slow as well."""
    run = probe.quiet(lambda: probe.fresh(
        place, target, None, memory * GRID_MEMORY, passes=PASSES,
        hopeless_ms=judgement.hopeless_ms(target, without.now())))
    return not without.memory_miss(target, run)


def _together(place, target, without, cpu, memory, say):
    """Both limits at once, on fresh containers; what falls short is raised where they do not hold.
    `cpu`, `memory`: [need, low, high] in steps of the grid. Returns both, the last run, and whether
    it held."""
    most = os.cpu_count() * 10
    for _ in range(MOST_RAISES):
        for _ in range(2):
            run = probe.quiet(lambda: probe.fresh(
                place, target, cpu[0] / 10, memory[0] * GRID_MEMORY,
                ready_seconds=longest_start(target, without.runs[0].ready_seconds), **LOOK))
            why = judgement.miss(target, run, without.now())
            if not why:
                return cpu, memory, run, True
            without.add(_reference(place, target))
        if without.lacked_memory(run) or not _enough_memory(place, target, without, memory[0]):
            memory = _raised(memory)
        elif cpu[0] < most:
            cpu = _raised(cpu)
        else:
            break
        say(f"together they do not hold ({why}): now {cpu[0] / 10} cores and "
            f"{memory[0] * 16} MiB")
    return cpu, memory, run, False


def _raised(limit):
    """[need, low, high] after its need was seen to fail."""
    need, _, high = limit
    return [need + 1, need + 1, max(high, need + 1)]
