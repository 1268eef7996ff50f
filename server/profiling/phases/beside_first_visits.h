// Windows of a warm-up beside what their rows took when they came first.
#pragma once

#include <optional>

#include "server/profiling/phases/warm_up_windows.h"

namespace mlprof::server::phases {

/// Windows of other rows each differ although the model does not: here each is told by what its
/// rows took when they came first. A model that became warmer meanwhile took longer then, and is
/// judged by the windows as they are.
class BesideFirstVisits {
 public:
  /// `first`: every row for the first time.
  BesideFirstVisits(const Container& container, const ReplayResult& first);

  void Add(const WarmUpWindow& measured, const ReplayResult& window) {
    windows_.Add(measured, window);
  }
  /// Whether the last windows agree, and are as the first visits were.
  bool AreSteady() const;
  /// Of all windows since, without a gap; newest last.
  std::span<const WarmUpWindow> told() const { return windows_.told(); }

 private:
  /// `rest`: without the very first.
  BesideFirstVisits(const ReplayResult& rest, const Container& container);

  WindowsByRow windows_;  // since all rows were visited
  std::optional<WarmUpWindow> first_;
};

}  // namespace mlprof::server::phases
