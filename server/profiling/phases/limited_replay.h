// What a fresh container at some limits is sent: the heaviest rows at once, a warm-up, a row for
// each process that serves, and the measured load.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "server/profiling/lab/lab.h"
#include "server/profiling/phases/limited_run_plan.h"
#include "server/profiling/phases/limited_warm_up.h"
#include "server/profiling/phases/reference.h"
#include "server/profiling/phases/workers.h"
#include "server/replay/replay_plan.h"

namespace mlprof::server::phases {

/// How the model bore it.
struct LimitedReplayFacts {
  bool died = false;
  bool stalled = false;                 // rows stood unanswered until they were given up
  bool futile = false;                  // likewise, as ReplayResult has it
  std::string full_heap_in_burst = {};  // VerificationEvidence has more
  bool failed_in_burst = false;         // likewise
  LimitedWarmUp warm_up = {};
  std::chrono::nanoseconds warm_at{0};     // pages that are read before are read for the first time
  ReplayResult load = {};                  // the measured one
  bool hopeless = false;                   // which ended early (phases/hopeless_load.h)
  bool began_warming = false;              // its beginning was the warm-up
  std::optional<ReplayResult> fresh = {};  // its part with a connection for each request
  std::optional<WorkersSeen> workers = {};

  bool serves() const { return !died && !stalled; }
};

/// One thread's; in the order of a run.
class LimitedReplay {
 public:
  /// What it refers to must outlive it.
  LimitedReplay(Lab& lab, const Yardstick& yardstick, const LimitedRunPlan& wanted,
                Container& container);

  /// Ends early where the model does not bear a part, which the facts tell. Fails where the CPU
  /// limit could not be set, and ends with the run.
  PhaseResult<void> ReplayAll();
  /// The load once more, and where that is not refused beside `beside`, its part of fresh
  /// connections; or that part alone.
  void MeasureLoad(const Reference& beside, ReplayResult begun = {});
  void MeasureFresh(const Reference& beside);
  bool HasFreshPart() const;
  /// It has one that was left out, as the load was refused.
  bool LacksFreshPart() const;

  /// Of the measured load.
  const ReplayPlan& plan() const { return plan_; }
  const LimitedReplayFacts& facts() const { return facts_; }
  std::chrono::nanoseconds LongestBurst() const;

 private:
  bool SurvivesHeavyRows();
  bool SurvivesRestOfHeavyRows(ReplayPlan plan, ReplayResult& burst);
  bool IsHopelessBurst(const ReplayResult& burst) const;
  bool Bears(const ReplayResult& burst);
  bool SurvivesInFlight();
  bool ReachesWorkers();
  PhaseResult<void> WarmUp();
  ReplayResult ReplayLoad(const ReplayPlan& plan, const Reference& beside, ReplayResult load = {});
  ReplayResult GoOn(const ReplayPlan& plan, ReplayResult load);
  void Send(const std::optional<ReplayPlan>& rest, ReplayResult& load);
  bool MayEndByBlock(const ReplayPlan& plan) const;
  bool MissesFromTheFirst(const ReplayResult& windows) const;
  std::optional<ReplayResult> ReplayHopelessLoad(const ReplayPlan& plan);
  bool IsRefused(const Reference& beside) const;
  bool HasSentEnough(const ReplayPlan& plan, const Reference& beside,
                     const ReplayResult& load) const;
  std::optional<BesideReference> Beside(const Reference& reference, const ReplayPlan& plan,
                                        const ReplayResult& load) const;
  bool Survives(const ReplayPlan& plan, std::chrono::nanoseconds time, ReplayResult& result);
  ReplayResult Replay(const ReplayPlan& plan, std::chrono::nanoseconds time);
  Deadline EndOf(std::chrono::nanoseconds time) const;
  Cores Cpu() const { return container_.limits().cpu(); }

  Lab& lab_;
  const Yardstick& yardstick_;
  const LimitedRunPlan& wanted_;
  Container& container_;
  const ReplayPlan plan_;
  LimitedReplayFacts facts_;
  bool gets_nowhere_ = false;     // all windows of the warm-up were hopeless
  bool heavy_rows_left_ = false;  // some were not sent, as the model got nowhere
};

}  // namespace mlprof::server::phases
