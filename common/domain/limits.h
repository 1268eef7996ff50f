// The limits a container runs under: an amount of each resource that it has.
#pragma once

#include <optional>
#include <vector>

#include "common/domain/amount.h"
#include "common/domain/resource_rules.h"

namespace mlprof {

class Limits {
 public:
  /// Of nothing yet.
  constexpr Limits() = default;
  constexpr Limits(Cores cpu, Bytes memory) {
    Set(cpu);
    Set(memory);
  }
  constexpr Limits(Cores cpu, Bytes memory, DeviceMemory device_memory) : Limits(cpu, memory) {
    Set(device_memory);
  }

  /// Every container has these two; 0 where they were not set.
  constexpr Cores cpu() const {
    const auto& amount = amounts_.At(ResourceKind::kCpu);
    return amount ? amount->cores() : Cores();
  }
  constexpr Bytes memory() const {
    const auto& amount = amounts_.At(ResourceKind::kMemory);
    return amount ? amount->bytes() : Bytes();
  }
  /// Absent: no device.
  constexpr std::optional<DeviceMemory> device_memory() const {
    const auto& amount = amounts_.At(ResourceKind::kDeviceMemory);
    return amount ? std::optional(amount->device_memory()) : std::nullopt;
  }

  constexpr std::optional<Amount> Find(ResourceKind kind) const { return amounts_.At(kind); }
  /// Those that are there, in the order of the enumerators.
  std::vector<Amount> All() const {
    std::vector<Amount> all;
    for (const ResourceKind kind : kResources) {
      if (const Amount* amount = amounts_.Find(kind)) all.push_back(*amount);
    }
    return all;
  }

  constexpr void Set(const Amount& amount) { amounts_.Set(amount.kind(), amount); }
  /// These, with `amount` in place of what they have of its resource.
  constexpr Limits With(const Amount& amount) const {
    Limits limits = *this;
    limits.Set(amount);
    return limits;
  }

  bool operator==(const Limits&) const = default;

 private:
  PerResource<Amount> amounts_;
};

/// Of what every container has. No trial runs below, and no answer lies below. The memory is
/// chosen, not measured: well above what Docker takes at the least (6 MiB) and the agent's own
/// (about 1 MiB).
inline constexpr Limits kSmallestLimits{RulesOf(ResourceKind::kCpu).smallest.cores(),
                                        RulesOf(ResourceKind::kMemory).smallest.bytes()};

}  // namespace mlprof
