#include "server/runtime/process/process_checks.h"

#include <stdlib.h>
#include <unistd.h>

#include <system_error>
#include <utility>

#include "common/os/read_text.h"
#include "server/runtime/agent_program.h"
#include "server/runtime/process/environment/python_environment.h"
#include "server/runtime/process/process_context.h"

namespace mlprof::server::process {
namespace {

constexpr const char* kDelegate =
    "run mlprof-server as root, or in a cgroup of its own: systemd-run --user --scope -p "
    "Delegate=yes mlprof-server --runtime process";
constexpr const char* kNamespaces =
    "run mlprof-server as root, or allow user namespaces: sysctl "
    "kernel.unprivileged_userns_clone=1";

std::string InBrackets(const std::string& why) { return why.empty() ? "" : " (" + why + ")"; }

ProcessCheck NamespaceCheck(const ProcessSurroundings& found) {
  const Permissions& permitted = found.permissions;
  switch (permitted.apart) {
    case Apart::kAsRoot:
      return {"namespaces", true, "made by root; models run as a user without rights", ""};
    case Apart::kAsUser:
      return {"namespaces", true,
              "made in a user namespace; models run as this user, and may read what it may", ""};
    case Apart::kNot: break;
  }
  const std::string why = InBrackets(permitted.why_not_apart);
  if (found.root) {
    return {"namespaces", false, "root may not make them here, and no model is run" + why,
            "run mlprof-server as an ordinary user, or with CAP_SYS_ADMIN"};
  }
  return {"namespaces", true,
          "not permitted: models share the machine's network, /tmp and processes, and may change "
          "what this user may" +
              why,
          kNamespaces};
}

ProcessCheck LimitCheck(const ProcessSurroundings& found) {
  const LimitsHere& limits = found.permissions.limits;
  const std::string version =
      found.cgroup_version == 0 ? "no cgroups" : "cgroup v" + std::to_string(found.cgroup_version);
  if (limits.Hold())
    return {"limits", true, "CPU and memory of models can be limited, " + version, ""};
  const std::string missing = limits.cpu ? "memory" : limits.memory ? "CPU" : "CPU and memory";
  return {"limits", false,
          missing + " of models cannot be limited, " + version + InBrackets(limits.why) +
              ": needs are measured without a limit, and nothing is proven",
          kDelegate};
}

ProcessCheck ProcCheck(const ProcessSurroundings& found) {
  return {"/proc", found.proc,
          found.proc ? "tells of processes and mounts" : "does not tell of processes and mounts",
          found.proc ? "" : "mount -t proc proc /proc"};
}

// A model that is given as a command needs none.
ProcessCheck PythonCheck(const ProcessSurroundings& found) {
  if (!found.python.empty()) return {"python", true, found.python, ""};
  return {"python", true, "none in /usr/bin or /usr/local/bin: entry scripts cannot be served",
          "apt-get install -y python3-venv"};
}

// In a folder that is removed again; "" where none can be made.
std::filesystem::path TrialFolder() {
  std::error_code error;
  std::string pattern =
      (std::filesystem::temp_directory_path(error) / "mlprof-doctor-XXXXXX").string();
  return ::mkdtemp(pattern.data()) != nullptr ? std::filesystem::path(pattern)
                                              : std::filesystem::path();
}

}  // namespace

std::vector<ProcessCheck> ChecksOf(const ProcessSurroundings& found) {
  return {NamespaceCheck(found),
          LimitCheck(found),
          ProcCheck(found),
          PythonCheck(found),
          {"disk writes", true, "what a model writes is not bounded without containers", ""}};
}

std::vector<ProcessCheck> TryProcesses(const std::filesystem::path& agent) {
  const auto program = FindAgentProgram(agent);
  if (!program)
    return {{"agent", false, program.error().message(), "build or install mlprof-agent"}};
  const std::filesystem::path folder = TrialFolder();
  if (folder.empty()) return {{"trial", false, "no folder can be made in /tmp", "free room there"}};
  ProcessSurroundings found;
  {
    ProcessContext context(
        {*program, folder, "doctor-" + std::to_string(::getpid())},
        LocateCgroup(ReadText("/proc/self/cgroup"), ReadText("/proc/self/mountinfo")));
    found.permissions = context.Permitted();
    found.cgroup_version = context.cgroups.version();
  }
  found.root = ::geteuid() == 0;
  found.proc = !ReadText("/proc/self/stat").empty() && !ReadText("/proc/self/mountinfo").empty();
  found.python = PythonProgram().value_or("");
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  return ChecksOf(found);
}

}  // namespace mlprof::server::process
