// A model in its container, from launch to removal. Destroying it keeps its samples and removes the
// container.
#pragma once

#include <memory>
#include <span>

#include "server/profiling/run_context.h"
#include "server/profiling/run_end.h"
#include "server/replay/agent_session.h"

namespace mlprof {

struct ContainerChoice {
  Limits limits;
  std::string cpuset = {};  // the cores it may run on; "": all
  /// Its memory pays for the files it reads, as on a machine that has never run it.
  bool cold_page_cache = false;
};

class RunningModel {
 public:
  /// Launches a container with its agent connected; the model is not started yet.
  static PhaseResult<std::unique_ptr<RunningModel>> Launch(RunContext& context,
                                                           ContainerChoice choice);
  ~RunningModel();
  RunningModel(const RunningModel&) = delete;
  RunningModel& operator=(const RunningModel&) = delete;

  /// Starts the model's command and waits until it answers, no longer than the budget lasts.
  /// `at_most`: not ready by then counts as not ready in time, whatever the config allows.
  tl::expected<agent_protocol::Ready, DeathEvidence> Start(
      std::optional<std::chrono::milliseconds> at_most = std::nullopt);
  /// Starts a server that answers at once and does nothing, in the model's place.
  tl::expected<agent_protocol::Ready, DeathEvidence> StartNullTarget();
  /// Replays in this container with the live line shown.
  ReplayResult Replay(const ReplayPlan& plan, Deadline deadline);
  /// Changes the CPU limit in place. An engine that does not answer ends the run.
  Status SetCpu(Cores cpu);

  /// The budget ended while it was still starting.
  bool RanOutOfBudget() const { return context_.budget().Passed() && !session_->lost(); }

  /// Why it died, with the end of its log; takes a second where its command ended without a word.
  /// Where that says nothing of the model it ends the run.
  DeathEvidence Death();
  /// The bound of what it may write to disk that it has met, if any; see Target.
  std::optional<DiskFull> MetDiskBound(std::string_view said) {
    return target_->MetDiskBound(said);
  }
  AgentSession& session() { return *session_; }
  const Limits& limits() const { return choice_.limits; }
  /// Since its launch.
  std::vector<Sample> AllSamples() const { return session_->Samples(); }
  /// Samples taken while `replay` ran.
  std::vector<Sample> SamplesOf(const ReplayResult& replay) const;

 private:
  RunningModel(RunContext& context, ContainerChoice choice, std::unique_ptr<Target> target);
  tl::expected<agent_protocol::Ready, DeathEvidence> Await(const agent_protocol::Start& start);
  void Close();
  void AskEngine(DeathEvidence& death);
  Deadline AskDeadline() const;
  std::string LogTail();
  std::string LastLog();

  RunContext& context_;
  ContainerChoice choice_;
  bool is_model_ = false;  // rather than the null target
  std::unique_ptr<Target> target_;
  std::unique_ptr<AgentSession> session_;
};

}  // namespace mlprof
