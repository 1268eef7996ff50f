// What belongs to a resource and to nothing else: the grid its limits lie on, its margin, its
// steps, and how its limit is searched.
#pragma once

#include <array>
#include <optional>

#include "common/domain/amount.h"

namespace mlprof {

enum class LimitSearch {
  kLive,     // the limit of a running container is changed; short of it a model is slow
  kRestart,  // fresh containers: a live limit below use kills
  kHardCap,  // fresh containers under a cap of the device's own, which no kernel divides
};

enum class Rounding { kUp, kDown };

struct ResourceRules {
  ResourceKind kind;
  const char* key;     // of its bounds in JSON
  Amount quantum;      // limits are multiples of it
  Amount smallest;     // limit; no answer lies below
  int margin_percent;  // over the measured need, of a limit that is going to be verified
  // One step up: so many percent more, and at least so much.
  int raise_percent;
  Amount least_raise;
  Rounding raise_rounding;
  int lower_percent;  // one step down, a quantum at least
  LimitSearch search;
};

/// The steps of an answer. CPU: 0.1 core, the least that Azure's profiles take. Memory: chosen, not
/// measured; finer than the margin on top of the need (10%) from 160 MiB up.
inline constexpr Cores kCpuQuantum = Cores::FromTenths(1);
inline constexpr Bytes kMemoryQuantum = MiB(16);
inline constexpr DeviceMemory kDeviceMemoryQuantum{MiB(64), 1};

// In the order of the enumerators. CPU was searched before it is raised or lowered, so that a step
// is a small one; its margin is how full the cores may be. Memory's margin is on top of a need that
// fresh containers then prove; others, who prove nothing, add 10 to 15% (Autopilot) or 15%
// (Vertical Pod Autoscaler, KRR). Its smallest limit is well above what Docker takes at the least
// (6 MiB). The steps up and down, and all of the device's row, are chosen, not measured.
inline constexpr std::array<ResourceRules, kResources.size()> kResourceRules{{
    {ResourceKind::kCpu, "cpu", kCpuQuantum, kCpuQuantum, 0,  //
     10, kCpuQuantum, Rounding::kDown, 0, LimitSearch::kLive},
    {ResourceKind::kMemory, "memory", kMemoryQuantum, MiB(32), 10,  //
     20, MiB(100), Rounding::kUp, 10, LimitSearch::kRestart},
    {ResourceKind::kDeviceMemory, "device", kDeviceMemoryQuantum, kDeviceMemoryQuantum, 10,  //
     20, kDeviceMemoryQuantum, Rounding::kUp, 10, LimitSearch::kHardCap},
}};

constexpr const ResourceRules& RulesOf(ResourceKind kind) {
  return kResourceRules[static_cast<std::size_t>(kind)];
}

constexpr bool EachRowIsOfItsResource() {
  for (const ResourceKind kind : kResources) {
    const ResourceRules& rules = RulesOf(kind);
    if (rules.kind != kind || rules.quantum.kind() != kind || rules.smallest.kind() != kind ||
        rules.least_raise.kind() != kind) {
      return false;
    }
  }
  return true;
}
static_assert(EachRowIsOfItsResource());
static_assert(Cores::FromMillicores(1).RoundUpToGrid() == kCpuQuantum);

constexpr Amount RoundDown(const Amount& amount) {
  const std::int64_t quantum = RulesOf(amount.kind()).quantum.units();
  return amount.WithUnits(amount.units() / quantum * quantum);
}

constexpr Amount RoundUp(const Amount& amount) {
  const std::int64_t quantum = RulesOf(amount.kind()).quantum.units();
  return amount.WithUnits((amount.units() + quantum - 1) / quantum * quantum);
}

/// Not above `most`, nor below the smallest limit.
constexpr Amount Clamp(const Amount& amount, const Amount& most) {
  return Greater(RulesOf(amount.kind()).smallest, Lesser(amount, most));
}

/// One step up from a limit that was too small, on the grid.
constexpr Amount OneStepHigher(const Amount& tried) {
  const ResourceRules& rules = RulesOf(tried.kind());
  const Amount higher = Greater(PercentOf(tried, 100 + rules.raise_percent),
                                tried.WithUnits(tried.units() + rules.least_raise.units()));
  return rules.raise_rounding == Rounding::kUp ? RoundUp(higher) : RoundDown(higher);
}

/// Likewise from one that was nearly enough: without the least raise.
constexpr Amount SmallStepHigher(const Amount& tried) {
  return RoundUp(PercentOf(tried, 100 + RulesOf(tried.kind()).raise_percent));
}

/// One step down, on the grid and not below the smallest limit; nullopt at that limit.
constexpr std::optional<Amount> OneStepLower(const Amount& limit) {
  const ResourceRules& rules = RulesOf(limit.kind());
  if (limit.units() <= rules.smallest.units()) return std::nullopt;
  const Amount lower = Lesser(PercentOf(limit, 100 - rules.lower_percent),
                              limit.WithUnits(limit.units() - rules.quantum.units()));
  return Greater(RoundDown(lower), rules.smallest);
}

}  // namespace mlprof
