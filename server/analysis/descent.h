// Whether an answer is tight: one step lower is tried, and taken where it holds again and again.
// Of any resource. Pure.
#pragma once

#include <optional>

#include "common/domain/limits.h"

namespace mlprof::server {

/// From a verified answer downward. A step that passes once is confirmed twice before it becomes
/// the answer; one failure, at once or in a confirmation, ends the descent, as do three steps
/// taken. Use: while (const auto limit = descent.Next()) descent.Tell(run at limit passed).
class Descent {
 public:
  explicit Descent(const Amount& answer) : accepted_(answer), candidate_(OneStepLower(answer)) {}

  /// What to run in a fresh container now; nullopt when there is nothing more to learn.
  std::optional<Amount> Next() const {
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
  const Amount& accepted() const { return accepted_; }
  /// The limit that ended the descent.
  std::optional<Amount> failed() const { return failed_; }
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

  Amount accepted_;
  std::optional<Amount> candidate_;  // one step below accepted_
  std::optional<Amount> failed_;
  int passes_ = 0;  // of the candidate
  int steps_taken_ = 0;
};

}  // namespace mlprof::server
