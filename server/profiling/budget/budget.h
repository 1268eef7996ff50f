// The time of one run: one clock, one budget, and every phase's share of it in one table.
//
// What proves the answer comes last and is what the run is for, so its reserve is set aside first:
// no phase before it may use what is left of the budget down to the reserve.
//
// It is for serving: what the model takes to start is added to it, so that one that starts slowly
// is measured and proven like any other. At most eight starts are, which bounds the whole; and none
// where somebody named the budget, which is a hard end then.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>

#include "common/time/deadline.h"

namespace mlprof::server {

/// What the budget is spent on, in the run's order; the two curves may come behind the proof.
enum class Spend {
  kStarts,
  kWarmUp,
  kRows,
  kRowSample,
  kLoad,
  kPlateau,
  kCpuSearch,
  kCpuProbe,
  kCpuCurve,
  kLoadCurve,
  kMemorySearch,
  kSustained,
};

struct Share {
  Spend spend;
  double of_budget;  // at most
  double at_least;   // although it costs the proof: without it there is no answer at all
};

/// Kept for the fresh containers that prove the answer: three starts with their loads.
inline constexpr double kProofReserve = 0.25;

/// Shares are limits, not allotments: a quick phase leaves its time to those after it.
inline constexpr std::array<Share, 12> kShares = {{
    {Spend::kStarts, 0.30, 0},        // a model that starts slowly must leave time for its rows
    {Spend::kWarmUp, 0.20, 0.05},     // rows of the same dataset come again right after it
    {Spend::kRows, 0.50, 0.05},       // every row once, where that is known to fit
    {Spend::kRowSample, 0.20, 0.05},  // where not, what is saved on the rows is the proof's
    {Spend::kLoad, 0.15, 0.05},       // the reference of all that follows
    {Spend::kPlateau, 0.12, 0},
    {Spend::kCpuSearch, 0.20, 0},
    {Spend::kCpuProbe, 0.05, 0.05},  // one limit of the search: shorter, it would tell nothing
    {Spend::kCpuCurve, 0.05, 0},
    {Spend::kLoadCurve, 0.06, 0},
    {Spend::kMemorySearch, 0.20, 0},
    {Spend::kSustained, 0.10, 0.10},  // after the proof, of whatever is left
}};

/// What a profile of a slow model takes at least: one start at the ceiling (a second is not worth
/// its time there), the three that prove the answer, and two runs one step lower for each of CPU
/// and memory.
inline constexpr int kStartsAdded = 8;

enum class BudgetEnd {
  kAfterStarts,  // the first starts are added to it
  kHard,         // somebody named it
};

/// Used by the thread that runs the profile.
class Budget {
 public:
  /// The clock must outlive it.
  Budget(const MonotonicClock& clock, std::chrono::nanoseconds total,
         BudgetEnd end = BudgetEnd::kAfterStarts)
      : clock_(clock),
        total_(total),
        end_(Deadline::After(total, clock)),
        hard_(end == BudgetEnd::kHard),
        starts_left_(end == BudgetEnd::kHard ? 0 : kStartsAdded) {}

  /// It runs from the first start of the model's container; what comes before (an image that is
  /// pulled) is not the model's. Later calls do nothing.
  void Begin() {
    if (!begun_) end_ = Deadline::After(total_, clock_);
    begun_ = true;
  }

  /// What may be spent on it from now on: its share, and no more than is left beside the reserve
  /// and the least that later phases need; its own least where even that is not left.
  std::chrono::nanoseconds For(Spend spend) const;
  /// The containers that prove the answer have run: nothing is kept for them any more.
  void ProofIsThrough() { proof_reserve_ = 0; }
  /// Two thirds of it at least are left.
  bool MostIsLeft() const { return 3 * Left() >= 2 * total_; }

  /// When a start that begins now is given up, which may take `longest`: an added one is bounded by
  /// that alone.
  Deadline EndOfStart(std::chrono::nanoseconds longest) const {
    return starts_left_ > 0 ? Deadline::After(longest, clock_) : AtMost(longest);
  }
  /// A start is over, whatever came of it: what it took is added, if it is one of the first.
  void Started(std::chrono::nanoseconds took);
  /// What somebody asked for beside what the budget is for is added to it, unless it is a hard end.
  void Extend(std::chrono::nanoseconds time) {
    if (!hard_) end_ = Deadline::After(Left() + time, clock_);
  }
  /// How many more are added.
  int starts_left() const { return starts_left_; }
  /// What `count` starts of `each` take of it.
  std::chrono::nanoseconds ChargeOf(std::chrono::nanoseconds each, int count = 1) const {
    return each * std::max(0, count - starts_left_);
  }

  const MonotonicClock& clock() const { return clock_; }
  bool begun() const { return begun_; }
  std::chrono::nanoseconds Left() const { return begun_ ? end_.Left() : total_; }
  /// With all starts that may still be added, each as long as the longest so far.
  std::chrono::nanoseconds MostLeft() const { return Left() + longest_start_ * starts_left_; }
  bool Passed() const { return begun_ && end_.Passed(); }
  Deadline end() const { return begun_ ? end_ : Deadline::After(total_, clock_); }
  /// The end, or `wait` from now.
  Deadline AtMost(std::chrono::nanoseconds wait) const { return end().AtMost(wait); }

 private:
  const MonotonicClock& clock_;
  const std::chrono::nanoseconds total_;
  Deadline end_;
  const bool hard_;
  int starts_left_;
  std::chrono::nanoseconds longest_start_{0};
  double proof_reserve_ = kProofReserve;
  bool begun_ = false;
};

}  // namespace mlprof::server
