#include "server/profiling/running_model.h"

#include <algorithm>

#include "common/log/log.h"
#include "server/analysis/resource_use.h"
#include "server/runtime/model_start.h"

namespace mlprof {
namespace {

constexpr std::chrono::seconds kLaunchDeadline{60};
constexpr std::chrono::seconds kCallDeadline{15};
constexpr Bytes kLogTail = KiB(8);
constexpr std::chrono::seconds kLatestLog{1};
constexpr std::chrono::milliseconds kLogPause{100};
constexpr Bytes kKeptLog = KiB(64);

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
  return FailRun({"RuntimeFailed",
                  "a container could not be launched: " + target.error().message(),
                  {"run `mlprof doctor` on the server's machine"},
                  ""});
}

RunningModel::~RunningModel() {
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
  const std::string log = target_->Logs(kKeptLog, Deadline::After(kCallDeadline)).value_or("");
  session_.reset();
  context_.recorder.Record(std::move(samples));
  if (!log.empty()) {
    context_.recorder.Log("--- container " + std::to_string(context_.launches) + "\n" + log);
  }
  if (auto status = target_->Remove(Deadline::After(kCallDeadline)); !status) {
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
  MLPROF_TRY(target_->SetCpu(cpu, Deadline::After(kCallDeadline)));
  choice_.limits.cpu = cpu;
  return {};
}

DeathEvidence RunningModel::Death() {
  DeathEvidence death = session_->Death();
  death.limits = choice_.limits;
  death.log_tail = death.exit_code || death.signal ? LastLog() : LogTail();
  death.disk_full = target_->MetDiskBound(death.log_tail);
  if (death.agent_lost) {
    // The kernel may have chosen the agent itself: then only the engine knows.
    const auto exit = target_->Inspect(Deadline::After(kCallDeadline));
    if (exit && exit->oom_killed) death.oom_kills = std::max<std::int64_t>(1, death.oom_kills);
  }
  return death;
}

std::string RunningModel::LogTail() {
  return target_->Logs(kLogTail, Deadline::After(kCallDeadline)).value_or("");
}

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
