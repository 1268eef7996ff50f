// The steps of a launch. Whatever fails, the target's destructor removes what was made so far.
#include <utility>

#include "common/log/log.h"
#include "server/runtime/docker/container_spec.h"
#include "server/runtime/docker/create_container.h"
#include "server/runtime/docker/docker_target.h"
#include "server/runtime/docker/engine.h"
#include "server/runtime/docker/engine_restart.h"
#include "server/runtime/docker/host_facts.h"
#include "server/runtime/docker/remove_container.h"

namespace mlprof::server::docker {
namespace {

// For the start and the agent's first word, which take a fraction of a second (docs/decisions, 1).
constexpr std::chrono::seconds kStartLimit{60};
constexpr Bytes kLogTail = KiB(4);

bool IsContainerName(const std::string& name) {
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
  return name.size() >= 2 && name.size() <= 200 && name.front() != '.' && name.front() != '-' &&
         name.find_first_not_of(kAllowed) == std::string::npos;
}

}  // namespace

Result<std::unique_ptr<Target>> DockerTarget::Launch(const std::shared_ptr<DockerContext>& context,
                                                     const LaunchRequest& request,
                                                     std::stop_token stop, Deadline deadline) {
  // It becomes a folder's name.
  const std::string& name = request.container_name;
  if (!IsContainerName(name)) return Fail(InvalidArgument("'" + name + "' names no container"));
  if (!context->live.Add(name)) return Fail(Conflict("container " + name + " is running already"));
  std::unique_ptr<DockerTarget> target(new DockerTarget(context, name, stop));

  MLPROF_LET(root, SocketRoot(context->options.data_dir, context->options.instance_id));
  Result<AgentSocket> socket = AgentSocket::Listen(root / ShortName(name));
  if (!socket) return Fail(socket.error());
  const Patience whole(deadline, std::move(stop));
  MLPROF_TRY(target->Create(request, *socket, whole));
  const Patience patience = whole.AtMost(kStartLimit);
  const Result<ContainerState> state = target->Start(patience);
  if (!state) return Fail(target->UnlessEngineLeft(state.error()));
  const Status connected = target->Connect(*socket, state->pid, patience);
  if (!connected) return Fail(target->UnlessEngineLeft(connected.error()));
  MLPROF_TRY(target->WatchDisks(patience));
  return target;
}

// An engine in another mount namespace does not see the volume that is mounted here, and finds no
// folder below its mount point. Then plain folders are used from now on.
Status DockerTarget::Create(const LaunchRequest& request, const AgentSocket& socket,
                            const Patience& patience) {
  MLPROF_TRY(AdmitByDisk(DisksOf(*context_, patience.AtMost(kCallLimit)), Bytes(0)));
  Status created = CreateOnVolume(request, socket, patience);
  const bool unseen =
      !created && volume_ && volume_->bounded() && IsUnseen(created.error(), volume_->root());
  if (!unseen) return created;
  context_->volumes.MountNoMore();
  return CreateOnVolume(request, socket, patience);
}

Status DockerTarget::CreateOnVolume(const LaunchRequest& request, const AgentSocket& socket,
                                    const Patience& patience) {
  const DockerOptions& options = context_->options;
  volume_.reset();
  MLPROF_LET(volume, context_->volumes.Make(context_->ScratchRoot() / name_, options.scratch_limit,
                                            patience.deadline));
  volume_ = std::move(volume);
  const Result<std::vector<ScratchFolder>> folders = ScratchFolders(request, volume_->root());
  if (!folders) return Fail(folders.error());
  MLPROF_TRY(MakeScratch(*folders));
  MLPROF_LET(inputs, LocalInputs(request.inputs));
  const ContainerPlaces places{options.agent_binary, socket.path(), std::move(inputs), *folders};
  asked_ = true;
  Result<std::string> id = CreateWithCopies(
      *context_, name_,
      ContainerSpec(request, places, options.instance_id, options.isolation, options.device_access),
      *folders, *volume_, patience);
  if (!id) return Fail(id.error());
  id_ = *std::move(id);
  return OpenScratch(*folders, patience.deadline);
}

Result<ContainerState> DockerTarget::Start(const Patience& patience) {
  const Status started = context_->engine.StartContainer(id_, patience.AtMost(kCallLimit));
  if (!started) return Fail(WithLogTail(started.error()));
  started_ = true;
  Result<ContainerState> state =
      context_->engine.InspectContainer(id_, patience.AtMost(kCallLimit));
  if (!state) return state;
  if (!state->running || state->pid <= 0) {
    return Fail(WithLogTail(Internal("the container's agent ended at once with exit code " +
                                     std::to_string(state->exit_code) +
                                     (state->error.empty() ? "" : ": " + state->error))));
  }
  return state;
}

Status DockerTarget::Connect(AgentSocket& socket, int pid, const Patience& patience) {
  const auto still_running = [&]() -> Status {
    const Result<ContainerState> state =
        context_->engine.InspectContainer(id_, patience.AtMost(kCallLimit));
    if (!state) return Fail(state.error());
    if (state->running) return {};
    return Fail(Internal("the container ended before its agent connected, with exit code " +
                         std::to_string(state->exit_code)));
  };
  Result<UniqueFd> connection = socket.Accept(pid, still_running, patience.stop, patience.deadline);
  if (!connection) return Fail(WithLogTail(connection.error()));
  Result<std::unique_ptr<AgentLink>> agent = context_->adopt(connection->Release(), patience);
  if (!agent) return Fail(WithLogTail(agent.error()));
  agent_ = *std::move(agent);
  agent_pid_ = pid;
  return {};
}

Status DockerTarget::WatchDisks(const Patience& patience) {
  WatchedDisks watched = volume_->Watched();
  watched.hosts = DisksOf(*context_, patience.AtMost(kCallLimit));
  const auto on_full = [this](const DiskFull& full, const std::stop_token& stop) {
    LogWarn("a container met a bound of the disk and is killed",
            {{"container", name_}, {"bound", Clause(full)}});
    // Through the cgroup where the engine does not kill it: nothing else bounds what it writes.
    const Patience moment(Deadline::After(kKillLimit), stop);
    if (!context_->engine.Kill(id_, moment)) KillThroughCgroup(id_);
  };
  MLPROF_LET(watch, DiskWatch::Start(std::move(watched), on_full));
  watch_ = std::move(watch);
  return {};
}

Error DockerTarget::UnlessEngineLeft(const Error& error) {
  return docker::UnlessEngineLeft(context_->engine, started_ ? id_ : "", error, stop_);
}

Error DockerTarget::WithLogTail(const Error& error) {
  if (error.code() == ErrorCode::kCancelled) return error;
  const std::string tail = Logs(kLogTail, Deadline::After(std::chrono::seconds(5))).value_or("");
  if (tail.empty()) return error;
  return Error(error.code(), error.message() + "; the end of its log:\n" + tail);
}

}  // namespace mlprof::server::docker
