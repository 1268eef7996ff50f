// Whether an answer is tight: one step lower is tried, and taken where it holds again and again.
// Pure.
#pragma once

#include <optional>

#include "common/domain/limits.h"

namespace mlprof {

/// max(10%, 16 MiB) less, down to the grid, not below the smallest limit; nullopt at that limit.
std::optional<Bytes> OneStepLower(Bytes memory);
/// 0.1 core less; nullopt at 0.1.
std::optional<Cores> OneStepLower(Cores cpu);

/// From a verified answer downward. A step that passes once is confirmed twice before it becomes
/// the answer; one failure, at once or in a confirmation, ends the descent, as do three steps
/// taken. Use: while (const auto limit = descent.Next()) descent.Tell(run at limit passed).
template <class Limit>
class Descent {
 public:
  explicit Descent(Limit answer) : accepted_(answer), candidate_(OneStepLower(answer)) {}

  /// What to run in a fresh container now; nullopt when there is nothing more to learn.
  std::optional<Limit> Next() const {
    if (failed_ || steps_taken_ == kMostSteps) return std::nullopt;
    return candidate_;
  }

  /// The outcome of what Next() named. Ignored where Next() names nothing.
  void Tell(bool passed) {
    if (!Next()) return;
    if (!passed) {
      failed_ = candidate_;
      return;
    }
    if (++passes_ < kPassesToAccept) return;
    passes_ = 0;
    ++steps_taken_;
    accepted_ = *candidate_;
    candidate_ = OneStepLower(accepted_);
  }

  /// The lowest limit that held as often as it must.
  Limit accepted() const { return accepted_; }
  /// The limit that ended the descent.
  std::optional<Limit> failed() const { return failed_; }
  /// True: one step below accepted() failed, or accepted() is the smallest limit there is. False:
  /// it passed, but was not run often enough to be taken. nullopt: it was not tried.
  std::optional<bool> tight() const {
    if (failed_ || !candidate_) return true;
    if (passes_ > 0) return false;
    return std::nullopt;
  }

 private:
  static constexpr int kPassesToAccept = 3;
  static constexpr int kMostSteps = 3;

  Limit accepted_;
  std::optional<Limit> candidate_;  // one step below accepted_
  std::optional<Limit> failed_;
  int passes_ = 0;  // of the candidate
  int steps_taken_ = 0;
};

using MemoryDescent = Descent<Bytes>;
using CpuDescent = Descent<Cores>;

}  // namespace mlprof
