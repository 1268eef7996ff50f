#include "server/runtime/process/process_runtime.h"

#include <unistd.h>

#include <set>
#include <system_error>

#include "common/log/log.h"
#include "common/os/read_text.h"
#include "common/os/remove_tree.h"
#include "server/runtime/agent_program.h"
#include "server/runtime/process/environment/python_environment.h"
#include "server/runtime/process/host_facts.h"
#include "server/runtime/process/process_target.h"
#include "server/runtime/process/writable_paths.h"
#include "server/runtime/writable_path.h"

namespace mlprof::server::process {
namespace {

// Left by a server that was killed. Their processes and cgroups are gone.
int RemoveFoldersBut(const std::set<std::string>& kept, const std::filesystem::path& root,
                     const Patience& patience) {
  int removed = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(root, error), end; !error && entry != end;
       entry.increment(error)) {
    if (patience.stop.stop_requested() || patience.deadline.Passed()) break;
    if (kept.contains(entry->path().filename().string())) continue;
    if (const Status tree = RemoveTree(entry->path(), patience); tree) {
      ++removed;
    } else {
      LogWarn("a former model's folder was not removed", {{"why", tree.error().message()}});
    }
  }
  return removed;
}

}  // namespace

Status CheckServable(const InferenceConfig& config, Apart apart) {
  if (config.run_as_root) {
    return Fail(InvalidArgument(
        "runAsRoot is for containers: as a process the model would be root of this machine"));
  }
  const auto* service = std::get_if<ImageConfig>(&config.service);
  if (service == nullptr) return {};
  if (!service->image.empty()) {
    return Fail(
        InvalidArgument("this server runs models as processes of its machine (--runtime "
                        "process), which have no image: give command and leave image out"));
  }
  if (!service->command || service->command->empty()) {
    return Fail(InvalidArgument("command is required: the program of this machine that serves"));
  }
  const std::string& program = service->command->front();
  if (apart == Apart::kNot || !IsWithin(program, "/tmp")) return {};
  return Fail(InvalidArgument("'" + program +
                              "' lies in /tmp, of which a model has one of its own, empty: put the "
                              "program elsewhere, as below /opt"));
}

RuntimeWords ProcessRuntime::words() const {
  return {"the process runtime",
          "failed",
          "let mlprof-server make what models need here",
          "the server's log may say why; `mlprof doctor --runtime process` says what is missing",
          "`mlprof doctor --runtime process` checks what the process runtime needs",
          "see that the model's user may read and write /dev/nvidia*"};
}

Result<HostFacts> ProcessRuntime::Host(Deadline, std::stop_token) { return HostOf(*context_); }

Status ProcessRuntime::Check(Deadline, std::stop_token) {
  const Permissions permitted = context_->Permitted();
  // What keeps root from namespaces keeps it from giving the model what lies in root's folders.
  if (::geteuid() != 0 || permitted.apart != Apart::kNot) return {};
  return Fail(Unavailable("mlprof-server runs as root but may not make namespaces (" +
                          permitted.why_not_apart +
                          "): run it as an ordinary user, or with CAP_SYS_ADMIN"));
}

Result<PreparedImage> ProcessRuntime::Prepare(const PrepareRequest& request,
                                              const PrepareOutput& output, std::stop_token stop,
                                              Deadline deadline) {
  MLPROF_TRY(CheckServable(request.config, context_->Permitted().apart));
  MLPROF_TRY(WritablePathsHere(request.config.writable_paths, context_->options.data_dir));
  PreparedImage image;
  if (request.config.IsEntryScript()) {
    const Preparing preparing{*context_, output, {deadline, std::move(stop)}};
    MLPROF_LET(prepared, PrepareEnvironment(preparing, request));
    image = std::move(prepared);
  }
  const std::vector<Warning> more = WarningsOf(context_->Permitted());
  image.warnings.insert(image.warnings.end(), more.begin(), more.end());
  return image;
}

Result<std::unique_ptr<Target>> ProcessRuntime::Launch(const LaunchRequest& request,
                                                       std::stop_token stop, Deadline deadline) {
  // More of them than at Prepare: folders that the model was refused to write to.
  MLPROF_LET(writable,
             WritablePathsHere(request.config.writable_paths, context_->options.data_dir));
  LaunchRequest here = request;
  here.config.writable_paths = std::move(writable);
  return ProcessTarget::Launch(context_, here, std::move(stop), deadline);
}

Result<std::vector<KeptImage>> ProcessRuntime::KeptImages(
    const std::vector<PrepareRequest>& waiting, Deadline deadline, std::stop_token stop) {
  return ListEnvironments(*context_, waiting, {deadline, std::move(stop)});
}

Status ProcessRuntime::RemoveImage(const KeptImage& image, Deadline deadline,
                                   std::stop_token stop) {
  return RemoveEnvironment(*context_, image, {deadline, std::move(stop)});
}

// Permissions are tried with a cgroup and a folder of their own, which are no orphan's.
Result<int> ProcessRuntime::RemoveOrphans(Deadline deadline, std::stop_token stop) {
  static_cast<void>(context_->Permitted());
  const Patience patience(deadline, std::move(stop));
  const std::set<std::string> live = context_->live.Names();
  const int cgroups = context_->cgroups.RemoveOthers({live.begin(), live.end()});
  const int folders = RemoveFoldersBut(live, context_->Root() / "run", patience);
  const int environments = RemoveUnfinishedEnvironments(*context_, patience);
  if (patience.stop.stop_requested()) return Fail(Cancelled("stopped while removing orphans"));
  return std::max(cgroups, folders) + environments;
}

}  // namespace mlprof::server::process

namespace mlprof::server {

Result<std::unique_ptr<Runtime>> MakeProcessRuntime(ProcessOptions options) {
  if (options.instance_id.empty()) return Fail(InvalidArgument("an instance id is needed"));
  MLPROF_LET(agent, FindAgentProgram(options.agent_binary));
  options.agent_binary = agent;
  std::error_code error;
  options.data_dir = std::filesystem::canonical(options.data_dir, error);
  if (error) return Fail(InvalidArgument("the data directory: " + error.message()));
  auto own = LocateCgroup(ReadText("/proc/self/cgroup"), ReadText("/proc/self/mountinfo"));
  auto context = std::make_shared<process::ProcessContext>(std::move(options), std::move(own));
  return std::make_unique<process::ProcessRuntime>(std::move(context));
}

}  // namespace mlprof::server
