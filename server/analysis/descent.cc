#include "server/analysis/descent.h"

#include <algorithm>

namespace mlprof {

std::optional<Bytes> OneStepLower(Bytes memory) {
  if (memory <= kSmallestLimits.memory) return std::nullopt;
  // In whole numbers: nine tenths of a multiple of ten quanta must not fall a quantum short.
  const Bytes tenth_less(memory.count() / 10 * 9 + memory.count() % 10 * 9 / 10);
  const Bytes lower = std::min(tenth_less, memory - kMemoryQuantum);
  const Bytes on_grid(lower.count() / kMemoryQuantum.count() * kMemoryQuantum.count());
  return std::max(on_grid, kSmallestLimits.memory);
}

std::optional<Cores> OneStepLower(Cores cpu) {
  if (cpu <= kSmallestLimits.cpu) return std::nullopt;
  return std::max((cpu - kCpuQuantum).RoundDownToGrid(), kSmallestLimits.cpu);
}

}  // namespace mlprof
