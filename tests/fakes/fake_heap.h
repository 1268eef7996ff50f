// The heap of an imitated runtime: garbage is collected only once it is full.
#pragma once

#include <algorithm>

#include "tests/fakes/fake_runtime.h"

namespace mlprof::server {

/// One thread. Without a share of the limit (FakeModel::heap_share) there is none, and nothing
/// happens.
class FakeHeap {
 public:
  explicit FakeHeap(const FakeModel& model) : model_(model) {}

  /// A row leaves its garbage. False where it does not fit, whatever is collected.
  bool Take(Bytes limit) {
    if (model_.heap_share <= 0) return true;
    const Bytes most = Scale(limit, model_.heap_share);
    used_ = std::max(used_, model_.heap_live) + model_.garbage_per_row;
    collected_ = used_ > most;
    if (collected_) used_ = model_.heap_live + model_.garbage_per_row;
    peak_ = std::min(most, std::max(peak_, used_));
    return used_ <= most;
  }
  /// For the last row.
  bool collected() const { return collected_; }
  /// What it was grown to and is not given back.
  Bytes peak() const { return peak_; }

 private:
  const FakeModel& model_;
  Bytes used_;
  bool collected_ = false;
  Bytes peak_;
};

}  // namespace mlprof::server
