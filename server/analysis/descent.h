// Whether an answer is tight: one step lower is tried, and taken where it holds again and again.
// Of any resource. Pure.
#pragma once

#include <optional>

#include "common/domain/limits.h"

namespace mlprof::server {

/// From a verified answer downward. One run can fail or hold by chance, so one step lower is run
/// until two of at most three runs agree: two failures end the descent and make the answer tight. A
/// step that passes three times and never failed becomes the answer; three steps are taken at most.
/// One that held and cannot become the answer, for want of room say, needs no second run, where it
/// never failed: it is not worth a container that the answer may be tight all the same.
/// Use: while (const auto limit = descent.Next()) descent.Tell(run at limit passed, may be taken).
class Descent {
 public:
  explicit Descent(const Amount& answer) : accepted_(answer), candidate_(OneStepLower(answer)) {}

  /// What to run in a fresh container now; nullopt when there is nothing more to learn.
  std::optional<Amount> Next() const {
    const bool told_apart = passes_ >= kMajority && !may_take_;
    if (failed() || told_apart || held_in_vain_ || steps_taken_ == kMostSteps) return std::nullopt;
    return candidate_;
  }

  /// The outcome of what Next() named. Ignored where Next() names nothing. A pass that may not be
  /// taken held by luck, for all that is known: it counts, and nothing lower becomes the answer.
  void Tell(bool passed, bool may_take = true) {
    if (!Next()) return;
    may_take_ = may_take_ && passed && may_take;
    if (!passed) {
      ++failures_;
      return;
    }
    if (++passes_ < kPassesToAccept || !may_take_) return;
    passes_ = 0;
    ++steps_taken_;
    accepted_ = *candidate_;
    candidate_ = OneStepLower(accepted_);
  }

  /// What Next() names held, here or before, and cannot be taken whatever another run shows. As
  /// Tell(), ignored where Next() names nothing.
  void TellHeldInVain() {
    if (!Next()) return;
    const bool never_failed = failures_ == 0;
    Tell(true, false);
    held_in_vain_ = held_in_vain_ || never_failed;
  }

  /// The lowest limit that held as often as it must.
  const Amount& accepted() const { return accepted_; }
  /// The limit that ended the descent.
  std::optional<Amount> failed() const {
    return failures_ >= kMajority ? candidate_ : std::nullopt;
  }
  /// Nothing lower than accepted() can be asked for, so nothing was tried.
  bool at_floor() const { return !candidate_; }
  /// True: two of three runs one step below accepted() failed, or it is at its floor. False: two
  /// passed, or one in vain. nullopt: it was not tried often enough to tell.
  std::optional<bool> tight() const {
    if (failed() || at_floor()) return true;
    if (passes_ >= kMajority || held_in_vain_) return false;
    return std::nullopt;
  }

 private:
  static constexpr int kMajority = 2;
  static constexpr int kPassesToAccept = 3;
  static constexpr int kMostSteps = 3;

  Amount accepted_;
  std::optional<Amount> candidate_;  // one step below accepted_
  int passes_ = 0;                   // of the candidate
  int failures_ = 0;                 // likewise
  bool may_take_ = true;             // likewise
  bool held_in_vain_ = false;        // likewise
  int steps_taken_ = 0;
};

}  // namespace mlprof::server
