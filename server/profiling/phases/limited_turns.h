// What a run at limits does behind its load where that says too little of the limits: it is told
// from another host, in turns with the load without a limit, and sent again.
#pragma once

#include <chrono>
#include <optional>

#include "server/profiling/lab/lab.h"
#include "server/profiling/phases/limited_replay.h"
#include "server/profiling/phases/limited_run_plan.h"
#include "server/profiling/phases/limited_verdict.h"
#include "server/profiling/phases/reference.h"
#include "server/profiling/phases/reference_in_turns.h"

namespace mlprof::server::phases {

/// One thread's.
class LimitedTurns {
 public:
  /// What it refers to must outlive it. `replay`: the run's own.
  LimitedTurns(Lab& lab, const LimitedRunPlan& wanted, const LimitedRunSeen& run,
               LimitedReplay& replay);

  /// Once, behind the load. What the run serves then is in its replay's facts.
  void Take();

  /// What the run is judged by.
  const Reference& beside() const { return beside_; }
  /// The reference with the looks that were taken.
  const Reference& looks() const { return looks_; }
  /// On a host that became faster, and no look of that: the run proves nothing.
  bool without_look() const { return without_look_; }
  /// From when on the container has more than its limits, if ever.
  std::optional<std::chrono::nanoseconds> lifted_at() const { return lifted_at_; }
  /// As CostBeside.
  std::optional<double> CostOfLoad() const;

 private:
  const LimitedReplayFacts& facts() const { return replay_.facts(); }
  JudgedRun JudgeBeside(const Reference& reference) const;
  void OutlastCompiler();
  std::optional<double> CollectingCost() const;
  bool MayBeSlowByItsPages();
  void TakeTurnWithAllMemory();
  bool MayReplayAgain() const;
  bool IsSlowBesideTheReference(bool fresh);
  bool TellsOfHost() const;
  bool HoldsOnAnyFasterHost();
  bool HoldsOnSlowerHost();
  bool IsClear(bool fresh) const;
  void TakeTurn(bool fresh);
  void MeasureFreshPartOfWhatHolds();
  void JudgeFreshInTurns(const Look& now);
  void JudgeInTurns(const Look& now);
  bool HoldsOnFasterHost(const std::optional<double>& cost) const;
  std::optional<Look> TakeReference(TurnPlan turn);
  void SeeThatTheLimitMakesItCheaper();
  bool IsOnTheSameHost(const Look& now) const;
  bool IsAsSlowAsBefore(const Look& now) const;
  bool HasTimeForAnother();
  bool HoldsAnotherTurn();

  Lab& lab_;
  const LimitedRunPlan& wanted_;
  const LimitedRunSeen& run_;
  LimitedReplay& replay_;
  bool faster_host_ = false;       // than when the references were taken
  bool cheaper_by_limit_ = false;  // it seemed so, and a look told that the host is the same
  bool without_look_ = false;      // of that host, which it would have to be judged beside
  std::optional<std::chrono::nanoseconds> lifted_at_;
  bool refused_for_tail_ = false;  // slow beside the reference by nothing but its tail
  Reference looks_;                // all so far
  Reference beside_;               // those that it is judged by
};

}  // namespace mlprof::server::phases
