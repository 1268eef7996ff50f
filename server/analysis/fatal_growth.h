// Whether a model that was killed for memory had grown into its limit, request by request, rather
// than met it by one heavy row. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "common/domain/profile.h"
#include "common/domain/sample.h"
#include "server/analysis/memory_plateau.h"

namespace mlprof::server {

struct FatalGrowth {
  double bytes_per_request = 0;
  std::int64_t requests = 0;  // until the kill
  Bytes limit;                // at which it was killed
  bool operator==(const FatalGrowth&) const = default;

  /// How many requests a model that grows so lives for at `other`.
  std::int64_t RequestsAt(Bytes other) const;
};

/// Of one container's life under `limit`, until its first kill: that its memory grew with the
/// requests as JudgePlateau has it (so not while it started, nor by the caches and pools of the
/// first ones, nor up to a bound), and that this had taken it to the limit: the lows of the last
/// windows are not far below. Nothing where that is not certain, or it served for too short a
/// while to tell.
/// `watched`: the later part of what it `served`, from where what workers load at their first row
/// is behind it; where that is too short a while, the whole life is judged.
std::optional<FatalGrowth> FindFatalGrowth(std::span<const Sample> samples,
                                           std::span<const RequestStretch> served,
                                           std::span<const RequestStretch> watched, Bytes limit);

/// "OutOfMemory", as of a leak: more memory only puts it off. `rows` of the dataset: where each was
/// seen once at most, what grew may be a cache of rows as well, and is said to be.
ProfileError DiagnoseGrowth(const FatalGrowth& growth, std::int64_t rows, std::string log_tail);

/// The same as a sentence: how much a request, and how many it lives for at which limit.
std::string GrowthText(const FatalGrowth& growth, std::int64_t rows);
/// What to do about it.
const char* GrowthAdvice();

}  // namespace mlprof::server
