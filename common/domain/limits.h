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

inline constexpr Cores kCpuQuantum = Cores::FromTenths(1);
inline constexpr Bytes kMemoryQuantum = MiB(16);
inline constexpr Limits kSmallestLimits{kCpuQuantum, MiB(32)};

}  // namespace mlprof
