// A model in its container, from launch to removal. Destroying it keeps its samples and removes the
// container.
#pragma once

#include <memory>
#include <span>

#include "server/profiling/run_context.h"
#include "server/profiling/run_end.h"
#include "server/replay/agent_session.h"

namespace mlprof {

class RunningModel {
 public:
  /// Launches a container at `limits` with its agent connected; the model is not started yet.
  /// `cpuset`: the cores it may run on; "": all.
  static PhaseResult<std::unique_ptr<RunningModel>> Launch(RunContext& context,
                                                           const Limits& limits,
                                                           const std::string& cpuset);
  ~RunningModel();
  RunningModel(const RunningModel&) = delete;
  RunningModel& operator=(const RunningModel&) = delete;

  /// Starts the model's command and waits until it answers, no longer than the budget lasts.
  tl::expected<agent_protocol::Ready, DeathEvidence> Start();
  /// Replays in this container with the live line shown.
  ReplayResult Replay(const ReplayPlan& plan, Deadline deadline);
  /// Changes the CPU limit in place.
  Status SetCpu(Cores cpu);

  /// The budget ended while it was still starting.
  bool RanOutOfBudget() const { return context_.budget().Passed() && !session_->lost(); }

  /// Why it died, with the end of its log.
  DeathEvidence Death();
  std::string LogTail();
  AgentSession& session() { return *session_; }
  const Limits& limits() const { return limits_; }
  /// Samples taken while `replay` ran.
  std::vector<Sample> SamplesOf(const ReplayResult& replay) const;

 private:
  RunningModel(RunContext& context, const Limits& limits, std::unique_ptr<Target> target);

  RunContext& context_;
  Limits limits_;
  std::unique_ptr<Target> target_;
  std::unique_ptr<AgentSession> session_;
};

}  // namespace mlprof
