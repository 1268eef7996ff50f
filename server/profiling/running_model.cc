#include "server/profiling/running_model.h"

#include <algorithm>

#include "common/log/log.h"
#include "server/analysis/resource_use.h"
#include "server/runtime/model_start.h"

namespace mlprof {
namespace {

constexpr std::chrono::seconds kLaunchDeadline{60};
constexpr std::chrono::seconds kSetCpuDeadline{5};
// What an engine that is well answers in milliseconds. Together, and one of them begun just before
// the run is stopped, they must leave an orderly stop its ten seconds.
constexpr std::chrono::seconds kAskDeadline{5};
constexpr std::chrono::seconds kRemoveDeadline{6};
constexpr std::chrono::seconds kStoppedAskDeadline{1};
constexpr std::chrono::seconds kStoppedRemoveDeadline{2};
constexpr Bytes kLogTail = KiB(8);
constexpr std::chrono::seconds kLatestLog{1};
constexpr std::chrono::milliseconds kLogPause{100};
constexpr Bytes kKeptLog = KiB(64);

// The engine did not answer, rather than refuse.
bool IsEnginesSilence(const Error& error) {
  return error.code() == ErrorCode::kUnavailable || error.code() == ErrorCode::kDeadlineExceeded;
}

std::string ContainerName(const Profile& profile, int launch) {
  return "mlprof-" + profile.id + "-" + std::to_string(launch);
}

}  // namespace

RunningModel::RunningModel(RunContext& context, ContainerChoice choice,
                           std::unique_ptr<Target> target)
    : context_(context),
      choice_(std::move(choice)),
      target_(std::move(target)),
      session_(std::make_unique<AgentSession>(target_->agent(), context.clock)) {}

PhaseResult<std::unique_ptr<RunningModel>> RunningModel::Launch(RunContext& context,
                                                                ContainerChoice choice) {
  LaunchRequest request;
  request.cpuset = choice.cpuset;
  request.container_name = ContainerName(context.profile(), ++context.launches);
  request.profile_id = context.profile().id;
  request.image = context.image;
  request.config = context.config();
  request.limits = choice.limits;
  request.read_only_mounts = context.mounts;
  request.writable_root = context.writable_root;
  auto target = context.runtime.Launch(request, context.stop, Deadline::After(kLaunchDeadline));
  if (target) {
    return std::unique_ptr<RunningModel>(
        new RunningModel(context, std::move(choice), std::move(*target)));
  }
  if (context.stop.stop_requested()) return Canceled();
  const std::string what = "a container could not be launched: " + target.error().message();
  if (IsEnginesSilence(target.error())) {
    context.run_stop.Ask(StopReason::kEngine, what);
    return Canceled();
  }
  if (target.error().code() == ErrorCode::kResourceExhausted) {
    context.run_stop.Ask(StopReason::kRoom, target.error().message());
    return Canceled();
  }
  return FailRun({"RuntimeFailed", what, {"run `mlprof doctor` on the server's machine"}, ""});
}

RunningModel::~RunningModel() {
  try {
    Close();
  } catch (const std::exception& error) {
    LogError("a container was closed in part", {{"why", error.what()}});
  }
}

void RunningModel::Close() {
  std::vector<Sample> samples = session_->Samples();
  if (const ResourceUse use = Summarize(samples); use.peak_unreclaimable && is_model_) {
    auto& peak = context_.observed.peak_memory;
    peak = std::max(peak.value_or(Bytes()), *use.peak_unreclaimable);
  }
  if (!session_->lost() && session_->children_lost() > 0) {
    context_.recorder.Warn({"workersLost",
                            std::to_string(session_->children_lost()) +
                                " processes of the model ended or were replaced while it served",
                            "see the model's own log: mlprof profile logs"});
  }
  const std::string log = target_->Logs(kKeptLog, AskDeadline()).value_or("");
  session_.reset();
  context_.recorder.Record(std::move(samples));
  if (!log.empty()) {
    context_.recorder.Log("--- container " + std::to_string(context_.launches) + "\n" + log);
  }
  const auto remove_within =
      context_.stop.stop_requested() ? kStoppedRemoveDeadline : kRemoveDeadline;
  if (auto status = target_->Remove(Deadline::After(remove_within)); !status) {
    LogError("container was not removed",
             {{"container", target_->container_id()}, {"why", status.error().message()}});
  }
}

tl::expected<agent_protocol::Ready, DeathEvidence> RunningModel::Start(
    std::optional<std::chrono::milliseconds> at_most) {
  Environment added = {{"AZUREML_MODEL_DIR", context_.model_directory}};
  agent_protocol::Start start = StartFor(context_.image, context_.config(), added);
  // What the profile tries out goes over the config's own.
  for (const auto& [name, value] : context_.environment) start.environment[name] = value;
  if (choice_.cold_page_cache) {
    start.drop_cache = {"/"};
    for (const Mount& mount : context_.mounts) start.drop_cache.push_back(mount.container);
  }
  if (at_most) start.start_timeout = std::min(start.start_timeout, *at_most);
  is_model_ = true;
  return Await(start);
}

tl::expected<agent_protocol::Ready, DeathEvidence> RunningModel::StartNullTarget() {
  agent_protocol::Start start = StartFor(context_.image, context_.config());
  start.command = {kAgentProgram, "--null-server", std::to_string(start.port)};
  start.readiness_path.clear();
  return Await(start);
}

tl::expected<agent_protocol::Ready, DeathEvidence> RunningModel::Await(
    const agent_protocol::Start& start) {
  session_->Start(start);
  // The agent tells when start_timeout has passed; the grace is for its word to arrive.
  const auto ready = session_->AwaitReady(
      context_.stop, context_.budget().AtMost(start.start_timeout + std::chrono::seconds(5)));
  if (!ready) return tl::unexpected<DeathEvidence>(Death());
  return *ready;
}

ReplayResult RunningModel::Replay(const ReplayPlan& plan, Deadline deadline) {
  return session_->Replay(
      context_.rows, plan, context_.stop, deadline,
      [this](const LiveReplay& live) { context_.recorder.Live(live, session_->LastSample()); });
}

Status RunningModel::SetCpu(Cores cpu) {
  const Status set = target_->SetCpu(cpu, Deadline::After(kSetCpuDeadline));
  if (!set && IsEnginesSilence(set.error())) {
    context_.run_stop.Ask(StopReason::kEngine,
                          "the CPU limit could not be changed: " + set.error().message());
  }
  MLPROF_TRY(set);
  choice_.limits.cpu = cpu;
  return {};
}

DeathEvidence RunningModel::Death() {
  DeathEvidence death = session_->Death();
  death.limits = choice_.limits;
  death.log_tail = death.exit_code || death.signal ? LastLog() : LogTail();
  death.disk_full = target_->MetDiskBound(death.log_tail);
  if (session_->lost() && !context_.stop.stop_requested()) AskEngine(death);
  return death;
}

// What became of the container. One that the engine lost, or ended as it restarted, says nothing of
// the model; nor does an agent that was lost and nobody knows why.
void RunningModel::AskEngine(DeathEvidence& death) {
  const auto exit = target_->Inspect(AskDeadline());
  if (!exit) {
    if (IsEnginesSilence(exit.error())) {
      context_.run_stop.Ask(StopReason::kEngine, exit.error().message());
    }
    return;
  }
  if (exit->by_engine) {
    context_.run_stop.Ask(StopReason::kEngine, exit->error);
  } else if (death.agent_lost && exit->oom_killed) {
    // The kernel chose the agent itself: then only the engine knows.
    death.oom_kills = std::max<std::int64_t>(1, death.oom_kills);
  } else if (death.agent_lost && exit->error.empty() && death.oom_kills == 0) {
    context_.run_stop.Ask(StopReason::kAgent);
  }
}

Deadline RunningModel::AskDeadline() const {
  return Deadline::After(context_.stop.stop_requested() ? kStoppedAskDeadline : kAskDeadline);
}

std::string RunningModel::LogTail() { return target_->Logs(kLogTail, AskDeadline()).value_or(""); }

// The agent's word of the end overtakes what the model last wrote, which the engine has to copy
// first: until two readings agree.
std::string RunningModel::LastLog() {
  const auto latest = context_.clock.Now() + kLatestLog;
  std::string log = LogTail();
  while (context_.clock.Now() < latest) {
    context_.clock.SleepUntil(context_.clock.Now() + kLogPause);
    std::string again = LogTail();
    if (!again.empty() && again == log) break;
    log = std::move(again);
  }
  return log;
}

std::vector<Sample> RunningModel::SamplesOf(const ReplayResult& replay) const {
  const std::vector<Sample> all = session_->Samples();
  const auto part = Between(all, replay.began, replay.ended);
  return {part.begin(), part.end()};
}

}  // namespace mlprof
