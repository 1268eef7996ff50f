// Trying out what this server may do.
#include <unistd.h>

#include <system_error>

#include "common/log/log.h"
#include "server/runtime/model_start.h"
#include "server/runtime/process/process_context.h"
#include "server/runtime/process/sandbox/sandbox_process.h"
#include "server/runtime/process/sandbox/sandbox_root.h"

namespace mlprof::server::process {
namespace {

constexpr std::chrono::seconds kTrial{10};
constexpr Bytes kReason = KiB(1);

// A sandbox like a model's, in which the agent says its version.
Status TrySandbox(const ProcessContext& context, bool user_namespace) {
  const std::filesystem::path folder = context.FolderOf("probe");
  std::error_code error;
  std::filesystem::create_directories(folder / "root", error);
  if (error) return Fail(FromErrno(error.value(), "cannot make " + folder.string()));
  std::vector<OwnPlace> places = SystemPlaces(MiB(1), 0, {}, ListHostFolder);
  places.push_back(
      {SandboxStep::Kind::kReadOnly, context.options.agent_binary.string(), kAgentProgram});
  SandboxPlan plan;
  plan.root = folder / "root";
  plan.steps = RootSteps(places, ListHostFolder);
  plan.user_namespace = user_namespace;
  plan.host_name = kModelHostName;
  plan.command = {kAgentProgram, "--version"};
  const auto sandbox = SandboxProcess::Start(context.options.agent_binary, plan, UniqueFd());
  if (!sandbox) return Fail(sandbox.error());
  const auto end = (*sandbox)->AwaitEnd(Deadline::After(kTrial));
  static_cast<void>((*sandbox)->End(Deadline::After(kTrial)));
  std::filesystem::remove_all(folder, error);
  if (!end) return Fail(end.error());
  if (*end == SandboxEnd{}) return {};
  std::string why = (*sandbox)->Log(kReason);
  while (why.ends_with('\n')) why.pop_back();
  return Fail(ErrorCode::kPermissionDenied, why.empty() ? "a sandbox cannot be made" : why);
}

}  // namespace

Permissions ProcessContext::Permitted() {
  const std::lock_guard lock(mutex_);
  if (permissions_) return *permissions_;
  Permissions found;
  const bool root = ::geteuid() == 0;
  const Status apart = TrySandbox(*this, !root);
  if (apart) {
    found.apart = root ? Apart::kAsRoot : Apart::kAsUser;
  } else {
    found.why_not_apart = apart.error().message();
  }
  found.limits = cgroups.Try();
  for (const Warning& warning : WarningsOf(found))
    LogInfo(warning.message, {{"code", warning.code}});
  permissions_ = found;
  return found;
}

}  // namespace mlprof::server::process
