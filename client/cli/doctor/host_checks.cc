#include <sched.h>

#include <cstdlib>
#include <filesystem>

#include "client/cli/doctor/check.h"
#include "client/cli/output/text.h"
#include "client/cli/text_file.h"
#include "common/os/loop_support.h"

namespace mlprof::client::cli {
namespace {

namespace fs = std::filesystem;

// An environment or two with their packages, and a model. Chosen, not measured.
constexpr Bytes kNeededDisk = GiB(5);

Finding ProgramFinding(const std::string& name, const Surroundings& surroundings) {
  const fs::path program = FindProgram(name, surroundings);
  const bool ok = !program.empty();
  return {name, ok, ok ? program.string() : "neither beside mlprof nor on PATH",
          ok ? "" : "cmake --build build/release --target " + name};
}

Finding DiskFinding(const Surroundings& surroundings) {
  auto folder = PrivateDataFolder(surroundings);
  if (!folder) return {"disk", false, folder.error().message(), "export HOME=/root"};
  fs::path there = *folder;
  std::error_code error;
  while (!fs::exists(there, error) && there.has_relative_path()) there = there.parent_path();
  const auto space = fs::space(there, error);
  const Bytes available(error ? 0 : static_cast<std::int64_t>(space.available));
  const bool ok = available >= kNeededDisk;
  return {"disk", ok, Text(available) + " free for " + folder->string(),
          ok ? "" : "free " + Text(kNeededDisk) + " there, or set XDG_DATA_HOME to another disk"};
}

// What bounds the writes of models and packages; either does, one better. A server of another user
// may have other rights.
Finding ScratchFinding() {
  const std::string missing = MissingForLoopVolumes();
  if (missing.empty()) {
    return {"scratch", true, "a file system of its own for each container (ext4 in a loop device)",
            ""};
  }
  return {"scratch", true, "watched only, because there is no " + missing,
          "run mlprof-server as root on a machine with loop devices (modprobe loop) and "
          "apt-get install -y e2fsprogs"};
}

Finding PressureFinding() {
  const auto text = ReadTextFile("/proc/pressure/cpu");
  const bool ok = text.has_value();
  return {"kernel pressure", ok,
          ok ? "PSI is there" : "no /proc/pressure: disturbance by other programs goes unseen",
          ok ? "" : "boot the kernel with psi=1"};
}

Finding CoresFinding() {
  cpu_set_t set;
  CPU_ZERO(&set);
  const int cores = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 0;
  double load[1] = {0};
  const bool known = getloadavg(load, 1) == 1;
  // A busy machine lacks nothing; it is only worth waiting.
  const bool ok = cores >= 2;
  const bool busy = known && static_cast<double>(cores) - load[0] < 1;
  std::string found = std::to_string(cores) + (cores == 1 ? " core" : " cores");
  if (known) found += ", load " + Figure(load[0]);
  std::string mend;
  if (!ok) {
    mend = "profile on a machine with 2 cores or more";
  } else if (busy) {
    mend = "end what else is running before you profile";
  }
  return {"cores", ok, found, mend};
}

}  // namespace

std::vector<Finding> CheckHost(const Surroundings& surroundings, bool containers) {
  std::vector<Finding> findings = {ProgramFinding("mlprof-server", surroundings),
                                   ProgramFinding("mlprof-agent", surroundings),
                                   DiskFinding(surroundings)};
  if (containers) findings.push_back(ScratchFinding());
  findings.push_back(PressureFinding());
  findings.push_back(CoresFinding());
  return findings;
}

std::vector<Finding> CheckServer(Session& session) {
  if (session.uses_private_server()) return {};
  const std::string& url = session.server().url;
  const std::string mend = "start mlprof-server there, or correct --server or MLPROF_SERVER";
  auto client = session.Connect();
  if (!client) return {{"server", false, client.error().message(), mend}};
  if (const Status health = client->Health(); !health) {
    return {{"server", false, health.error().message(), mend}};
  }
  const Status ready = client->Readiness();
  return {{"server", ready.has_value(),
           ready ? url + " is ready" : url + " is not ready: " + ready.error().message(),
           ready ? "" : "see the server's log"}};
}

}  // namespace mlprof::client::cli
