// How a model's memory stood and rose when the kernel killed for it. Pure.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>

#include "common/domain/sample.h"
#include "common/units/bytes.h"

namespace mlprof::server {

struct MemoryBeforeDeath {
  Bytes level;                         // the most that was seen, at the end
  Bytes usage;                         // likewise, with files that can be dropped
  Bytes rise;                          // from the least within `within` before
  std::chrono::nanoseconds within{0};  // 2 s, or less where it lived shorter
};

/// `samples` of one container, the oldest first, the last ones at the kill. What the first sample
/// behind a kill tells of the time since the one before belongs to it. nullopt of no samples.
std::optional<MemoryBeforeDeath> BeforeDeath(std::span<const Sample> samples);

/// "it held 498 MiB at the end, 310 MiB of them since 0.4 s before"; where even with its
/// files it was clearly below the `limit` that it was killed for, that it rose between two samples.
std::string Sentence(const MemoryBeforeDeath& before, Bytes limit);

}  // namespace mlprof::server
