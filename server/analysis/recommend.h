// From measured need to requested limits, and from a failed verification to the next try. Pure.
#pragma once

#include <optional>
#include <vector>

#include "common/domain/limits.h"
#include "common/domain/recommendation.h"

namespace mlprof {

/// How full cores may be that serve a rate: its bursts need room (the usual mark for scaling out).
inline constexpr double kUtilizationOfRate = 0.70;

/// The need as measured in the ample container.
struct MeasuredNeed {
  double cores = 0;  // mean CPU use under the objective's load
  /// How full the cores may be: 1 for a closed loop, which fills whatever it gets, else
  /// kUtilizationOfRate.
  double utilization = 1;
  /// The rows were measured while other work ran, which makes `cores` too low if anything: nothing
  /// is taken off it.
  bool noisy = false;
  Bytes start_peak;    // unreclaimable, largest over all cold starts
  Bytes start_spread;  // largest minus median start peak
  Bytes serving_peak;  // unreclaimable, under load
  Bytes hot_file;      // file pages that serving needs resident
  Bytes agent_memory;  // runs inside the same limit, so it is added
};

/// Memory: (max(start, serving + hot file) + agent) × 1.10 + spread (0 where the start decides,
/// whose maximum is counted already), rounded up to 16 MiB. CPU: mean use by utilization, less 3%
/// on a quiet host and 0.01, rounded up to 0.1. Never above `ceiling` nor below the smallest
/// limits. The 1.10 is the margin for a verified answer.
Limits FirstAnswer(const MeasuredNeed& need, const Limits& ceiling);

/// The need as it counts against a memory limit: the larger peak with the agent's own added.
Bytes MemoryFloor(const MeasuredNeed& need);

/// What a failed verification asks for.
enum class Shortage { kMemory, kCpu };
/// Memory: max(1.2 × M, M + 100 MiB). CPU, which was searched before: one step, a tenth above one
/// core. nullopt where the ceiling
/// leaves no room.
std::optional<Limits> Raise(const Limits& tried, Shortage shortage, const Limits& ceiling);

/// The sentence behind each number.
struct Reasons {
  std::string cpu;
  std::string memory;
};

/// A limit that was tried and failed, for the lower bounds.
struct FailedTry {
  Limits limits;
  Shortage shortage;
};

/// The recommendation at `limits` with its bounds.
Recommendation Recommend(const Limits& limits, const MeasuredNeed& need, const Limits& ceiling,
                         const std::vector<FailedTry>& failed);

}  // namespace mlprof
