#include "server/runtime/docker/docker_runtime.h"

#include <algorithm>
#include <set>
#include <system_error>
#include <utility>

#include "common/log/log.h"
#include "server/runtime/agent_connection.h"
#include "server/runtime/agent_program.h"
#include "server/runtime/docker/container_spec.h"
#include "server/runtime/docker/disk/scratch_volume.h"
#include "server/runtime/docker/docker_target.h"
#include "server/runtime/docker/host_facts.h"
#include "server/runtime/docker/kept_images.h"
#include "server/runtime/docker/prepare.h"
#include "server/runtime/docker/remove_container.h"

namespace mlprof::server::docker {
namespace {

constexpr std::chrono::seconds kLoneRemoveLimit{10};

Result<std::unique_ptr<AgentLink>> AdoptConnection(int fd, const Patience& patience) {
  Result<std::unique_ptr<AgentConnection>> connection = AgentConnection::Adopt(fd, patience);
  if (!connection) return Fail(connection.error());
  return std::unique_ptr<AgentLink>(*std::move(connection));
}

std::vector<std::filesystem::path> FoldersIn(const std::filesystem::path& root) {
  std::vector<std::filesystem::path> folders;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(root, error), end; !error && entry != end;
       entry.increment(error)) {
    folders.push_back(entry->path());
  }
  return folders;
}

}  // namespace

DockerRuntime::DockerRuntime(std::shared_ptr<DockerContext> context)
    : context_(std::move(context)) {}

RuntimeWords DockerRuntime::words() const {
  return {"the Docker engine",
          "went away",
          "start the engine",
          "Docker's own log may say why; `mlprof doctor` says what is missing",
          "`mlprof doctor` checks the engine and the base image",
          "see that the engine can give a container GPUs: NVIDIA's container toolkit, or another "
          "--device-access of the server"};
}

Result<HostFacts> DockerRuntime::Host(Deadline deadline, std::stop_token stop) {
  return AskForHost(*context_, {deadline, std::move(stop)});
}

Status DockerRuntime::Check(Deadline deadline, std::stop_token stop) {
  const Patience patience(deadline, std::move(stop));
  MLPROF_TRY(CheckEngine(patience));
  return AdmitByDisk(DisksOf(*context_, patience), Bytes(0));
}

// Describing its machine costs the engine CPU time that a model being measured would feel, and the
// description changes only when the engine restarts. So once it was found fit it is only pinged.
Status DockerRuntime::CheckEngine(const Patience& patience) {
  if (found_fit_) {
    const Status response = context_->engine.Ping(patience);
    if (!response) found_fit_ = false;
    return response;
  }
  const Result<EngineInfo> info = context_->engine.Info(patience);
  if (!info) return Fail(info.error());
  if (info->rootless) {
    return Fail(Unavailable(
        "the Docker daemon runs rootless, where CPU and memory limits cannot be relied on; use a "
        "daemon that runs as root (--docker-host unix:///var/run/docker.sock)"));
  }
  const auto& runtimes = info->runtimes;
  if (context_->options.isolation == Isolation::kGvisor &&
      std::find(runtimes.begin(), runtimes.end(), "runsc") == runtimes.end()) {
    return Fail(Unavailable(
        "--isolation gvisor needs gVisor's runsc: install it (`apt-get install runsc`), name it "
        "in /etc/docker/daemon.json with the argument --host-uds=open and restart Docker"));
  }
  found_fit_ = true;
  return {};
}

Result<PreparedImage> DockerRuntime::Prepare(const PrepareRequest& request,
                                             const PrepareOutput& output, std::stop_token stop,
                                             Deadline deadline) {
  return PrepareImage(*context_, request, output, std::move(stop), deadline);
}

Result<std::unique_ptr<Target>> DockerRuntime::Launch(const LaunchRequest& request,
                                                      std::stop_token stop, Deadline deadline) {
  return DockerTarget::Launch(context_, request, std::move(stop), deadline);
}

Result<std::vector<KeptImage>> DockerRuntime::KeptImages(const std::vector<PrepareRequest>& waiting,
                                                         Deadline deadline, std::stop_token stop) {
  return ListKeptImages(*context_, waiting, {deadline, std::move(stop)});
}

Status DockerRuntime::RemoveImage(const KeptImage& image, Deadline deadline, std::stop_token stop) {
  return RemoveKeptImage(*context_, image, {deadline, std::move(stop)});
}

Result<int> DockerRuntime::RemoveOrphans(Deadline deadline, std::stop_token stop) {
  const Patience patience(deadline, std::move(stop));
  const std::string label = std::string(kInstanceLabel) + "=" + context_->options.instance_id;
  MLPROF_LET(listed, context_->engine.ListContainers(label, patience));
  const std::set<std::string> live = context_->live.Names();
  int removed = 0;
  Status all_removed;
  std::set<std::string> left;
  for (const ListedContainer& container : listed) {
    if (live.contains(container.name)) continue;
    const Status status = context_->engine.Remove(container.id, patience.AtMost(kLoneRemoveLimit));
    if (status) {
      ++removed;
      continue;
    }
    LogError("lost an orphan container: Docker does not remove it",
             {{"container", container.name},
              {"killedProcesses", KillThroughCgroup(container.id)},
              {"why", status.error().message()}});
    left.insert(container.name);
    all_removed = status;
  }
  if (patience.stop.stop_requested()) return Fail(Cancelled("stopped while removing orphans"));
  RemoveOrphanFolders(std::move(left), patience);
  if (!all_removed) return Fail(all_removed.error());
  return removed;
}

// The folders are listed before the live containers are asked for. A launch enters its name before
// it makes a folder, so a folder that is listed and has no name is an orphan's.
void DockerRuntime::RemoveOrphanFolders(std::set<std::string> in_use, const Patience& patience) {
  std::vector<std::filesystem::path> folders = FoldersIn(context_->ScratchRoot());
  const auto sockets = SocketRoot(context_->options.data_dir, context_->options.instance_id);
  if (sockets) {
    for (auto& folder : FoldersIn(*sockets)) folders.push_back(std::move(folder));
  }
  in_use.merge(context_->live.Names());
  std::set<std::string> kept;
  for (const std::string& name : in_use) {
    kept.insert(name);
    kept.insert(ShortName(name));
  }
  for (const auto& folder : folders) {
    if (patience.stop.stop_requested() || patience.deadline.Passed()) return;
    if (!kept.contains(folder.filename().string())) RemoveScratch(folder, patience);
  }
}

Result<std::string> SocketOf(const std::string& docker_host) {
  constexpr std::string_view kScheme = "unix://";
  std::string path = docker_host;
  if (path.rfind(kScheme, 0) == 0) path.erase(0, kScheme.size());
  if (!path.empty() && path.front() == '/') return path;
  return Fail(InvalidArgument("Docker host '" + docker_host +
                              "' cannot be used: containers talk to mlprof through a socket file, "
                              "so Docker has to run on this machine; give its socket "
                              "(--docker-host unix:///var/run/docker.sock)"));
}

}  // namespace mlprof::server::docker

namespace mlprof::server {

Result<std::unique_ptr<Runtime>> MakeDockerRuntime(DockerOptions options) {
  Result<std::string> socket = docker::SocketOf(options.docker_host);
  if (!socket) return Fail(socket.error());
  if (options.instance_id.empty()) return Fail(InvalidArgument("an instance id is needed"));
  MLPROF_LET(agent, FindAgentProgram(options.agent_binary));
  options.agent_binary = agent;
  std::error_code error;
  options.data_dir = std::filesystem::absolute(options.data_dir, error);
  if (error) return Fail(InvalidArgument("the data directory: " + error.message()));
  auto context = std::make_shared<docker::DockerContext>(std::move(options), *std::move(socket),
                                                         docker::AdoptConnection);
  return std::make_unique<docker::DockerRuntime>(std::move(context));
}

}  // namespace mlprof::server
