// The two limits a container runs under, and the grid an answer lies on.
#pragma once

#include "common/units/bytes.h"
#include "common/units/cores.h"

namespace mlprof {

struct Limits {
  Cores cpu;
  Bytes memory;
  bool operator==(const Limits&) const = default;
};

/// The steps of an answer. CPU: 0.1 core, the least that Azure's profiles take. Memory: chosen, not
/// measured; finer than the margin on top of the need (10%) from 160 MiB up.
inline constexpr Cores kCpuQuantum = Cores::FromTenths(1);
inline constexpr Bytes kMemoryQuantum = MiB(16);
/// No trial runs below, and no answer lies below. The memory is chosen, not measured: well above
/// what Docker takes at the least (6 MiB) and the agent's own (about 1 MiB).
inline constexpr Limits kSmallestLimits{kCpuQuantum, MiB(32)};

}  // namespace mlprof
