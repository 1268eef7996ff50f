// What a pod should ask for and be held to, from what was measured at the answer. Pure.
//
// A request is what the scheduler sets aside, so it is what the model uses; a limit on CPU is a
// quota, which stops short rows although the mean use is below it. So the two numbers differ: the
// request is the mean use under the objective's load, the limit one at which the quota stopped
// nothing, or none. Memory cannot be taken back from a process, so its request is its limit.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "common/domain/findings.h"
#include "common/domain/limits.h"
#include "common/domain/settings.h"

namespace mlprof::server {

/// At the answer, under the objective's load.
struct UseAtAnswer {
  double cores = 0;            // mean
  double throttled_share = 0;  // of the quota periods
  std::optional<double> p99_ms = {};
};

/// `points`: the limits that were tried, in any order. `startup_cpu`: that the start takes.
PodResources PodResourcesOf(const Limits& answer, const UseAtAnswer& use,
                            std::span<const CpuPoint> points, std::optional<Cores> startup_cpu);

/// The least of `points` above `answer` where the quota stopped next to nothing. nullopt where
/// none was tried.
std::optional<Cores> ThrottleFree(std::span<const CpuPoint> points, Cores answer);

/// Of something that was not seen in `requests` independent ones: its share is below 3/N at 95%
/// confidence (Hanley and Lippman-Hand, "If nothing goes wrong, is everything all right?", 1983).
/// nullopt for none.
std::optional<RareEvents> BoundOfUnseen(std::int64_t requests);

}  // namespace mlprof::server
