#include "server/runtime/process/process_target.h"

#include <sys/socket.h>
#include <sys/stat.h>

#include <cerrno>
#include <fstream>
#include <system_error>
#include <utility>

#include "common/log/log.h"
#include "common/os/remove_tree.h"
#include "server/runtime/agent_connection.h"
#include "server/runtime/environment/pip_settings.h"
#include "server/runtime/model_start.h"
#include "server/runtime/process/free_port.h"
#include "server/runtime/process/host_facts.h"
#include "server/runtime/process/placed_link.h"

namespace mlprof::server::process {
namespace {

// For the sandbox and the agent's first word, which take some ten milliseconds.
constexpr std::chrono::seconds kConnectLimit{30};
constexpr std::chrono::seconds kLastRemoval{20};
constexpr Bytes kTailOfLog = KiB(4);

bool IsModelName(const std::string& name) {
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
  return name.size() >= 2 && name.size() <= 200 && name.front() != '.' && name.front() != '-' &&
         name.find_first_not_of(kAllowed) == std::string::npos;
}

// Open to every uid: the model's own is not the server's. The folder above keeps others out.
Status MakeOpenFolder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return Fail(FromErrno(error.value(), "cannot make " + folder.string()));
  if (::chmod(folder.c_str(), 01777) != 0) {
    return Fail(FromErrno(errno, "cannot open up " + folder.string()));
  }
  return {};
}

Status WriteHosts(const std::filesystem::path& file) {
  std::ofstream out(file);
  out << "127.0.0.1 localhost " << kModelHostName << "\n::1 localhost\n";
  out.close();
  if (!out) return Fail(Internal("cannot write " + file.string()));
  return {};
}

// At the place a container has it, below `inside`.
Status LinkInput(const std::filesystem::path& inside, const std::filesystem::path& here,
                 const std::string& path) {
  const std::filesystem::path link = inside.string() + path;
  std::error_code error;
  std::filesystem::create_directories(link.parent_path(), error);
  if (!error) std::filesystem::create_directory_symlink(here, link, error);
  return error ? Fail(FromErrno(error.value(), "cannot link " + link.string())) : Status();
}

}  // namespace

ProcessTarget::ProcessTarget(std::shared_ptr<ProcessContext> context, std::string name)
    : context_(std::move(context)),
      name_(std::move(name)),
      permitted_(context_->Permitted()),
      secrets_(environment::SecretsOf(environment::ThisHost())) {
  places_.agent = context_->options.agent_binary;
  places_.data = context_->options.data_dir;
  places_.folder = context_->FolderOf(name_);
}

ProcessTarget::~ProcessTarget() { static_cast<void>(Remove(Deadline::After(kLastRemoval))); }

Result<std::unique_ptr<Target>> ProcessTarget::Launch(
    const std::shared_ptr<ProcessContext>& context, const LaunchRequest& request,
    std::stop_token stop, Deadline deadline) {
  const std::string& name = request.container_name;
  if (!IsModelName(name)) return Fail(InvalidArgument("'" + name + "' names no container"));
  if (!context->live.Add(name)) return Fail(Conflict(name + " is running already"));
  std::unique_ptr<ProcessTarget> target(new ProcessTarget(context, name));
  MLPROF_TRY(target->MakeFolders(request));
  MLPROF_TRY(target->MakeCgroup(request.limits));
  MLPROF_TRY(target->ChoosePort(request.config));
  MLPROF_TRY(target->Start(request));
  const Patience patience(deadline, std::move(stop));
  MLPROF_TRY(target->Connect(patience.AtMost(kConnectLimit)));
  return target;
}

Status ProcessTarget::MakeFolders(const LaunchRequest& request) {
  MLPROF_TRY(RemoveTree(places_.folder, Deadline::After(kLastRemoval)));
  for (const char* folder : {kTmpFolder, kHomeFolder}) {
    MLPROF_TRY(MakeOpenFolder(places_.folder / folder));
  }
  for (const WritableLayer& layer : LayersOf(request.config, places_.folder)) {
    MLPROF_TRY(MakeOpenFolder(layer.upper));
    MLPROF_TRY(MakeOpenFolder(layer.work));
  }
  MLPROF_TRY(WriteHosts(places_.folder / kHostsFile));
  std::error_code error;
  std::filesystem::create_directories(places_.folder / kRootFolder, error);
  if (error) return Fail(FromErrno(error.value(), "cannot make " + places_.folder.string()));
  if (!request.image.image_id.empty()) {
    places_.environment = context_->EnvironmentOf(request.image.image_id) / "venv";
  }
  for (const ContentInput& input : request.inputs) {
    auto here = input.reader->LocalDirectory();
    if (!here) {
      return Fail(InvalidArgument("what belongs at " + input.inside +
                                  " lies in no folder of this machine"));
    }
    if (permitted_.apart == Apart::kNot) {
      MLPROF_TRY(LinkInput(places_.folder / kInsideFolder, *here, input.inside));
    }
    places_.inputs.emplace_back(*std::move(here), input.inside);
  }
  placement_ = PlacementOf(places_, permitted_.apart);
  placement_.gpus = VisibleDevices(request.devices);
  return {};
}

Status ProcessTarget::MakeCgroup(const Limits& limits) {
  if (!permitted_.limits.Hold()) return {};
  MLPROF_LET(cgroup, context_->cgroups.Make(name_));
  cgroup_ = std::move(cgroup);
  places_.cgroup = cgroup_.get();
  return cgroup_->Limit(limits);
}

Status ProcessTarget::ChoosePort(const InferenceConfig& config) {
  if (HasOwnNetwork(config, permitted_.apart)) return {};
  if (const auto* service = std::get_if<ImageConfig>(&config.service)) {
    return CheckPortFree(service->port);
  }
  if (CheckPortFree(kEntryScriptPort)) return {};
  MLPROF_LET(port, FindFreePort());
  placement_.port = port;
  return {};
}

Status ProcessTarget::Start(const LaunchRequest& request) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return Fail(FromErrno(errno, "cannot open a pair of sockets"));
  }
  link_.Reset(ends[0]);
  UniqueFd theirs(ends[1]);
  const SandboxPlan plan =
      ModelPlan(request, places_, permitted_.apart, ThisMachinesCores(), ListHostFolder);
  MLPROF_LET(sandbox, SandboxProcess::Start(places_.agent, plan, std::move(theirs)));
  sandbox_ = std::move(sandbox);
  return {};
}

Status ProcessTarget::Connect(const Patience& patience) {
  auto connection = AgentConnection::Adopt(link_.Release(), patience);
  if (!connection) return Fail(WithLogTail(connection.error()));
  agent_ = std::make_unique<PlacedLink>(*std::move(connection), placement_);
  return {};
}

Error ProcessTarget::WithLogTail(const Error& error) {
  if (error.code() == ErrorCode::kCancelled) return error;
  // It is over; ended, it has said all.
  static_cast<void>(sandbox_->End(Deadline::After(std::chrono::seconds(5))));
  const std::string tail = secrets_.Masked(sandbox_->Log(kTailOfLog));
  if (tail.empty()) return error;
  // No engine is to be waited for: what failed here fails again.
  return Internal(error.message() + "; it said:\n" + tail);
}

Result<HostFacts> ProcessTarget::Host(Deadline) { return HostOf(*context_); }

Result<HostLoad> ProcessTarget::ReadHostLoad() { return server::ReadHostLoad(); }

Status ProcessTarget::SetCpu(Cores cpu, Deadline) {
  if (cgroup_) return cgroup_->SetCpu(cpu);
  return Fail(ErrorCode::kNotAvailable,
              "CPU of a process cannot be limited here (" + permitted_.limits.why + ")");
}

Result<std::string> ProcessTarget::Logs(Bytes max, Deadline) {
  return secrets_.Masked(sandbox_->Log(max));
}

Result<ContainerExit> ProcessTarget::Inspect(Deadline) {
  ContainerExit exit;
  const auto end = sandbox_->Ended();
  exit.running = !end.has_value();
  if (end) exit.exit_code = end->signal != 0 ? 128 + end->signal : end->exit_code;
  exit.oom_killed = cgroup_ && cgroup_->OomKills() > 0;
  return exit;
}

Status ProcessTarget::Remove(Deadline deadline) {
  if (removed_.exchange(true)) return {};
  Status removed;
  if (sandbox_) removed = sandbox_->End(deadline);
  // The keeper has done it, unless it was killed or never there.
  if (cgroup_ && !cgroup_->Remove()) {
    removed = Fail(Internal("the cgroup of " + name_ + " could not be removed"));
  }
  if (const Status tree = RemoveTree(places_.folder, deadline); !tree) {
    LogWarn("a model's folder was not removed", {{"why", tree.error().message()}});
  }
  context_->live.Remove(name_);
  return removed;
}

}  // namespace mlprof::server::process
