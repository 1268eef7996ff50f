// What the rows of a window usually take: a window of heavy rows is slower than one of cheap rows,
// although the model is as it was. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>

#include "server/analysis/latency.h"
#include "server/analysis/steady_state.h"

namespace mlprof::server {

/// How long each row took at some time: a measure for others, whatever made up that time.
class RowMix {
 public:
  /// Of several visits of a row their median counts.
  explicit RowMix(std::span<const Visit> usual);

  /// `window`, whose requests were `visits`, none of which failed, as it would have been with all
  /// rows equally often: its p50 by how many times longer than usual its median row took, its CPU
  /// by what its rows usually take. nullopt where nothing is known of one in ten, or more.
  std::optional<WarmUpWindow> WithAllRows(const WarmUpWindow& window,
                                          std::span<const Visit> visits) const;

 private:
  std::unordered_map<std::uint32_t, double> usual_ms_;
  double median_ms_ = 0;  // over the rows
  double mean_ms_ = 0;    // likewise
};

}  // namespace mlprof::server
