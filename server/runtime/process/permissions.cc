#include "server/runtime/process/permissions.h"

namespace mlprof::server::process {
namespace {

std::string Because(const std::string& why) { return why.empty() ? "" : " (" + why + ")"; }

std::string Reach(Apart apart) {
  switch (apart) {
    case Apart::kAsRoot: return "read what every user of the machine may read";
    case Apart::kAsUser:
      return "read what the server's user may read, but for the server's own data";
    case Apart::kNot: break;
  }
  return "read and change whatever the server's user may, the server's own data too";
}

Warning NotIsolated(const Permissions& permissions) {
  Warning warning;
  warning.code = "notIsolated";
  warning.message = "the model ran as a process of this machine, not in a container: it could " +
                    Reach(permissions.apart) + ", and what it wrote to disk was not bounded";
  if (permissions.apart == Apart::kNot) {
    warning.message += "; it shared the machine's network, /tmp and processes" +
                       Because(permissions.why_not_apart);
    warning.advice =
        "run mlprof-server as root, or allow user namespaces (sysctl "
        "kernel.unprivileged_userns_clone=1), so that models get namespaces of their own; or use "
        "--runtime docker";
  } else {
    warning.advice = "use --runtime docker for models that you do not trust";
  }
  return warning;
}

Warning LimitsNotHeld(const LimitsHere& limits) {
  const std::string missing = limits.cpu ? "memory" : limits.memory ? "CPU" : "CPU and memory";
  return {"limitsNotHeld",
          "this server cannot limit " + missing + " of a process here" + Because(limits.why) +
              ": what the model needs was measured without a limit, no smaller limit was tried, "
              "and nothing is proven",
          "run mlprof-server as root, or in a cgroup of its own: `systemd-run --user --scope -p "
          "Delegate=yes mlprof-server --runtime process`"};
}

}  // namespace

std::vector<Warning> WarningsOf(const Permissions& permissions) {
  std::vector<Warning> warnings = {NotIsolated(permissions)};
  if (!permissions.limits.Hold()) warnings.push_back(LimitsNotHeld(permissions.limits));
  return warnings;
}

}  // namespace mlprof::server::process
