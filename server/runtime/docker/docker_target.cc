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
    : context_(std::move(context)), name_(std::move(name)) {}

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
    exit.error = "the container was removed by somebody else";
    return exit;
  }
  if (!state) return Fail(state.error());
  exit.running = state->running;
  exit.exit_code = state->exit_code;
  exit.oom_killed = state->oom_killed || SawOom(deadline);
  exit.error = state->error;
  if (const auto full = MetDiskBound({}); full && full->killed) exit.error = Clause(*full);
  return exit;
}

std::optional<DiskFull> DockerTarget::MetDiskBound(std::string_view log) {
  return watch_ ? watch_->Met(log) : std::nullopt;
}

// A container whose process 1 lives is not "OOM killed" to Docker, whatever the kernel killed in
// it.
bool DockerTarget::SawOom(Deadline deadline) {
  const auto events = context_->engine.Events(id_, deadline);
  return events && std::find(events->begin(), events->end(), "oom") != events->end();
}

Status DockerTarget::Remove(Deadline deadline) {
  const std::lock_guard lock(removing_);
  if (removed_) return {};
  removed_ = true;
  if (watch_) watch_->Stop();
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
  volume_.reset();
  context_->live.Remove(name_);
  return removed;
}

}  // namespace mlprof::docker
