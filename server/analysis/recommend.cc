#include "server/analysis/recommend.h"

#include <algorithm>
#include <cmath>

#include "server/analysis/sentence.h"

namespace mlprof {
namespace {

// On top of the need; fresh containers then prove it. What others add who prove nothing: Vertical
// Pod Autoscaler and KRR 15%, Autopilot 10 to 15%.
constexpr double kVerifiedMargin = 1.10;
// The upper bound that is told beside the answer. Chosen, not measured.
constexpr double kAmpleMargin = 1.25;
// What a server does after its last byte is in a row's CPU time and not in its latency, so that one
// busy thread shows as up to 1.04 cores. What this takes off too much, the search and the
// verification put back.
constexpr double kCpuTolerance = 0.03;

bool StartDecides(const MeasuredNeed& need) {
  return need.start_peak >= need.serving_peak + need.hot_file;
}

Bytes WithMargin(const MeasuredNeed& need, double margin) {
  const bool start_decides = StartDecides(need);
  const Bytes spread = start_decides ? Bytes() : need.start_spread;
  return RoundUp(Scale(MemoryFloor(need), margin) + spread, kMemoryQuantum);
}

Bytes ClampMemory(Bytes memory, const Limits& ceiling) {
  return std::max(kSmallestLimits.memory, std::min(memory, ceiling.memory));
}

Cores ClampCpu(Cores cpu, const Limits& ceiling) {
  return std::max(kSmallestLimits.cpu, std::min(cpu, ceiling.cpu));
}

std::string CpuReason(const MeasuredNeed& need, const Limits& limits, std::optional<Cores> failed) {
  const std::string use = Sentence("the rows used %.2f cores on average", need.cores);
  if (failed) return use + Sentence("; %.1f cores were tried and were not enough", failed->value());
  if (need.utilization < 1) {
    return use + Sentence("; %.1f cores leave room for bursts", limits.cpu.value());
  }
  if (limits.cpu.value() < need.cores - 0.01) {
    return Sentence("%.1f cores hold the latency objective; at full speed ", limits.cpu.value()) +
           use;
  }
  return use + Sentence(", rounded up to %.1f", limits.cpu.value());
}

std::string MemoryReason(const MeasuredNeed& need, std::optional<Bytes> failed) {
  const bool start_decides = StartDecides(need);
  const std::string peak =
      Sentence("%.0f MiB could not be given back at the peak %s", MemoryFloor(need).mib(),
               start_decides ? "while the model started" : "under load");
  std::string hot;
  if (!start_decides && need.hot_file > Bytes()) {
    hot = Sentence(", %.0f MiB of them file pages it reads all the time", need.hot_file.mib());
  }
  if (failed)
    return peak + hot + Sentence("; %.0f MiB were tried and were not enough", failed->mib());
  return peak + hot + Sentence(", plus a margin of %.0f%%", (kVerifiedMargin - 1) * 100);
}

}  // namespace

Bytes MemoryFloor(const MeasuredNeed& need) {
  return std::max(need.start_peak, need.serving_peak + need.hot_file) + need.agent_memory;
}

Limits FirstAnswer(const MeasuredNeed& need, const Limits& ceiling) {
  const double tolerance = need.noisy ? 0 : kCpuTolerance;
  const double cores = need.cores * (1 - tolerance) / need.utilization;
  const Cores cpu = Cores(std::max(0.0, cores - 0.01)).RoundUpToGrid();
  return {ClampCpu(cpu, ceiling), ClampMemory(WithMargin(need, kVerifiedMargin), ceiling)};
}

std::optional<Limits> Raise(const Limits& tried, Shortage shortage, const Limits& ceiling) {
  Limits next = tried;
  if (shortage == Shortage::kMemory) {
    next.memory = ClampMemory(
        RoundUp(std::max(Scale(tried.memory, 1.2), tried.memory + MiB(100)), kMemoryQuantum),
        ceiling);
  } else {
    const Cores raised = Cores(tried.cpu.value() * 1.1).RoundDownToGrid();
    next.cpu = ClampCpu(std::max(raised, tried.cpu + kCpuQuantum), ceiling);
  }
  if (next == tried) return std::nullopt;
  return next;
}

Recommendation Recommend(const Limits& limits, const MeasuredNeed& need, const Limits& ceiling,
                         const std::vector<FailedTry>& failed) {
  std::optional<Cores> failed_cpu;
  std::optional<Bytes> failed_memory;
  for (const FailedTry& attempt : failed) {
    // What failed once and later held, on a quieter host, bounds nothing.
    const bool lower = attempt.shortage == Shortage::kCpu ? attempt.limits.cpu < limits.cpu
                                                          : attempt.limits.memory < limits.memory;
    if (!lower) continue;
    if (attempt.shortage == Shortage::kCpu) {
      failed_cpu = std::max(failed_cpu.value_or(Cores()), attempt.limits.cpu);
    } else {
      failed_memory = std::max(failed_memory.value_or(Bytes()), attempt.limits.memory);
    }
  }
  Recommendation answer;
  answer.requested = limits;
  const Cores measured = Cores(need.cores).RoundDownToGrid();
  answer.cpu.low = failed_cpu.value_or(std::min(std::max(measured, kCpuQuantum), limits.cpu));
  answer.cpu.high =
      std::max(limits.cpu, ClampCpu(Cores(need.cores * 1.25).RoundUpToGrid(), ceiling));
  answer.cpu.reason = CpuReason(need, limits, failed_cpu);
  answer.memory.low = failed_memory.value_or(std::min(MemoryFloor(need), limits.memory));
  answer.memory.high =
      std::max(limits.memory, ClampMemory(WithMargin(need, kAmpleMargin), ceiling));
  answer.memory.reason = MemoryReason(need, failed_memory);
  return answer;
}

}  // namespace mlprof
