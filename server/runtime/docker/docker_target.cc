#include "server/runtime/docker/docker_target.h"

#include <algorithm>
#include <utility>

#include "common/log/log.h"
#include "server/runtime/docker/lost_container.h"

namespace mlprof::docker {
namespace {

constexpr std::chrono::seconds kLastRemoval{20};

}  // namespace

DockerTarget::DockerTarget(std::shared_ptr<DockerContext> context, std::string name)
    : context_(std::move(context)),
      name_(std::move(name)),
      scratch_(context_->ScratchRoot() / name_) {}

DockerTarget::~DockerTarget() {
  if (const Status removed = Remove(Deadline::After(kLastRemoval)); !removed) {
    LogError("a container was not removed",
             {{"container", name_}, {"why", removed.error().message()}});
  }
}

Status DockerTarget::SetCpu(Cores cpu, Deadline deadline) {
  return context_->engine.UpdateCpu(id_, cpu, deadline);
}

Result<std::string> DockerTarget::Logs(Bytes max, Deadline deadline) {
  Result<std::string> logs = context_->engine.Logs(id_, deadline);
  if (!logs) return logs;
  const auto kept = static_cast<std::size_t>(max.count());
  if (logs->size() > kept) logs->erase(0, logs->size() - kept);
  return logs;
}

Result<ContainerExit> DockerTarget::Inspect(Deadline deadline) {
  const Result<ContainerState> state = context_->engine.InspectContainer(id_, deadline);
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
  if (scratch_full_) {
    const auto limit = static_cast<std::int64_t>(context_->options.scratch_limit.gib());
    exit.error = "it wrote more than " + std::to_string(limit) +
                 " GiB to its writable folders (/tmp, HOME, writablePaths) and was ended";
  }
  return exit;
}

// A container whose process 1 lives is not "OOM killed" to Docker, whatever the kernel killed in
// it. And one that ended as the engine restarted may be told to be.
void DockerTarget::ReadEvents(ContainerExit& exit, Deadline deadline) {
  const auto events = context_->engine.Events(id_, deadline);
  if (!events) return;
  const bool saw_oom = std::find(events->begin(), events->end(), "oom") != events->end();
  exit.oom_killed = exit.oom_killed || saw_oom;
  if (exit.running) return;
  const auto all = context_->engine.Events("", deadline);
  if (!all || !RestartedSince(*events, all->size())) return;
  exit.by_engine = true;
  exit.oom_killed = false;
  exit.error = "the Docker engine restarted and ended the container";
}

Status DockerTarget::Remove(Deadline deadline) {
  const std::lock_guard lock(removing_);
  if (removed_) return {};
  removed_ = true;
  watch_.reset();
  Status removed;
  if (!id_.empty()) removed = context_->engine.Remove(id_, deadline);
  if (!removed) {
    // Its processes must not go on, whatever is the matter with the engine. What is left of it
    // carries our label and is removed as an orphan once the engine is well.
    const int killed = KillThroughCgroup(id_);
    LogError("lost a container: Docker does not remove it", {{"container", name_},
                                                             {"id", id_},
                                                             {"killedProcesses", killed},
                                                             {"why", removed.error().message()}});
  }
  RemoveScratch(scratch_);
  context_->live.Remove(name_);
  return removed;
}

}  // namespace mlprof::docker
