#include "server/runtime/docker/docker_target.h"

#include <algorithm>
#include <utility>

#include "server/runtime/docker/engine_restart.h"
#include "server/runtime/docker/host_facts.h"
#include "server/runtime/docker/remove_container.h"
#include "server/runtime/environment/pip_settings.h"

namespace mlprof::server::docker {
namespace {

constexpr std::chrono::seconds kLastRemoval{20};
// How long all questions about a container may take together once its run is stopped.
constexpr std::chrono::seconds kLastWords{1};

}  // namespace

DockerTarget::DockerTarget(std::shared_ptr<DockerContext> context, std::string name,
                           std::stop_token stop)
    : context_(std::move(context)),
      name_(std::move(name)),
      stop_(std::move(stop)),
      secrets_(environment::SecretsOf(environment::ThisHost())) {}

DockerTarget::~DockerTarget() { (void)Remove(Deadline::After(kLastRemoval)); }

Result<HostFacts> DockerTarget::Host(Deadline deadline) {
  return KnownHost(*context_, UntilStopped(deadline));
}

// Of this machine: the agent's connection was let in as that of a process of this kernel, so that
// an engine elsewhere has no target.
Result<HostLoad> DockerTarget::ReadHostLoad() { return server::ReadHostLoad(); }

std::filesystem::path DockerTarget::Root() const {
  return agent_pid_ > 0 ? "/proc/" + std::to_string(agent_pid_) + "/root" : "";
}

Status DockerTarget::SetCpu(Cores cpu, Deadline deadline) {
  return context_->engine.UpdateCpu(id_, cpu, {deadline, stop_});
}

Status DockerTarget::RaiseMemory(Bytes memory, Deadline deadline) {
  return context_->engine.UpdateMemory(id_, memory, {deadline, stop_});
}

Result<std::string> DockerTarget::Logs(Bytes max, Deadline deadline) {
  Result<std::string> logs = context_->engine.Logs(id_, UntilStopped(deadline));
  if (!logs) return logs;
  *logs = secrets_.Masked(*logs);
  const auto kept = static_cast<std::size_t>(max.count());
  if (logs->size() > kept) logs->erase(0, logs->size() - kept);
  return logs;
}

Result<ContainerExit> DockerTarget::Inspect(Deadline deadline) {
  const Result<ContainerState> state =
      context_->engine.InspectContainer(id_, UntilStopped(deadline));
  ContainerExit exit;
  if (!state && state.error().code() == ErrorCode::kNotFound) {
    exit.by_engine = true;
    exit.error = "the container was removed by somebody else";
    return exit;
  }
  if (!state) return Fail(state.error());
  exit.running = state->running;
  exit.exit_code = state->exit_code;
  exit.oom_killed = state->oom_killed;
  exit.error = state->error;
  ReadEvents(exit, deadline);
  if (const auto full = MetDiskBound({}); full && full->killed) exit.error = Clause(*full);
  return exit;
}

std::optional<DiskFull> DockerTarget::MetDiskBound(std::string_view log) {
  return watch_ ? watch_->Met(log) : std::nullopt;
}

// Docker's own "OOMKilled" is wrong in two cases, which its events tell. It is false where the
// kernel killed another process than process 1; and it may be true where a restart of the engine
// ended the container.
void DockerTarget::ReadEvents(ContainerExit& exit, Deadline deadline) {
  const auto events = context_->engine.Events(id_, UntilStopped(deadline));
  if (!events) return;
  const bool saw_oom = std::find(events->begin(), events->end(), "oom") != events->end();
  exit.oom_killed = exit.oom_killed || saw_oom;
  if (exit.running) return;
  if (!RestartedUnder(context_->engine, id_, UntilStopped(deadline))) return;
  exit.by_engine = true;
  exit.oom_killed = false;
  exit.error = "the Docker engine restarted and ended the container";
}

// How long a question may take: until the run is stopped as long as `deadline`, afterwards what is
// left of kLastWords.
Patience DockerTarget::UntilStopped(Deadline deadline) {
  if (!stop_.stop_requested()) return {deadline, stop_};
  const std::lock_guard lock(mutex_);
  if (!last_words_) last_words_ = Deadline::After(kLastWords);
  return last_words_->AtMost(deadline.Left());
}

Status DockerTarget::Remove(Deadline deadline) {
  if (removed_.exchange(true)) return {};
  if (watch_) watch_->Stop();
  Status removed;
  if (asked_) removed = RemoveOrLose(*context_, name_, id_, {deadline, stop_});
  if (volume_) volume_->Remove(ForScratch(deadline, stop_));
  context_->live.Remove(name_);
  return removed;
}

}  // namespace mlprof::server::docker
