// What windows of a warm-up took: as they are, and told by what their rows usually take.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "server/analysis/row_mix.h"
#include "server/analysis/steady_state.h"
#include "server/profiling/lab/container.h"
#include "server/replay/replay_plan.h"

namespace mlprof::server::phases {

/// p50 of those requests that succeeded, and CPU time of all; 0 where there are none.
WarmUpWindow MeasureWindow(const Container& container, const ReplayResult& window);

/// Windows one after the other, each as it would have been with all rows equally often.
class WindowsByRow {
 public:
  /// `usual`: what rows took at another time.
  explicit WindowsByRow(std::span<const Visit> usual) : usual_(usual) {}

  /// nullopt where rows failed, which cost anything, or too little is known of them.
  std::optional<WarmUpWindow> Told(const WarmUpWindow& measured, const ReplayResult& window) const;
  /// The next one. One that cannot be told ends the row of those before it.
  void Add(const WarmUpWindow& measured, const ReplayResult& window);
  /// The newest, without a gap.
  std::span<const WarmUpWindow> told() const { return told_; }

 private:
  RowMix usual_;
  std::vector<WarmUpWindow> told_;
};

}  // namespace mlprof::server::phases
