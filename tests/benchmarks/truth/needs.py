"""What was planted is known: does the oracle find it, and does mlprof's answer respect it?"""

import judgement

MIB = 1 << 20


def violations(target, values):
    """Sentences; none where all that is known of the target agrees with what was planted."""
    found = []
    if "oracle" in values:
        found += _oracle(target, values["oracle"])
    profile = values.get("profile")
    if profile and profile.get("recommendation"):
        found += _answer(target, profile["recommendation"])
    return [f"{target.name}: {what}" for what in found]


def _oracle(target, true):
    if "error" in true:
        return [f"the oracle found no limits: {true['error']}"] if target.answerable else []
    if not target.answerable:
        return ["the oracle found limits where none can hold"]
    if "cpuInterval" not in true:
        return []  # found by an older rule
    memory = [size / MIB for size in true["memoryIntervalInBytes"]]
    return (_outside("the oracle", *true["cpuInterval"], target.need_cpu, "cores")
            + _outside("the oracle", *memory, target.need_memory_mib, "MiB"))


def _answer(target, answer):
    who = f"mlprof{'' if answer['verified'] else ', not verified,'}"
    if not target.answerable:
        return [f"{who} has an answer where no limit holds"]
    cpu, mib = answer["requestedCpu"], answer["requestedMemoryInBytes"] / MIB
    return (_outside(who, cpu, cpu, target.need_cpu, "cores")
            + _outside(who, mib, mib, target.need_memory_mib, "MiB"))


def _outside(who, low, high, need, unit):
    if not need or (high >= need[0] - 1e-9 and low <= need[1] + 1e-9):
        return []
    return [f"{who} says {judgement.between(low, high)} {unit}, "
            f"planted are {judgement.between(*need)}"]
