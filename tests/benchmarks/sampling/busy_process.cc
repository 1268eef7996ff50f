#include "tests/benchmarks/sampling/busy_process.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

#include "agent/sampling/proc.h"
#include "common/cgroup/cgroup_location.h"

namespace mlprof::server::bench {
namespace {

using namespace std::chrono_literals;
using SteadyClock = std::chrono::steady_clock;

[[noreturn]] void WorkInBursts(double core_share) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody ends it where the benchmark is killed
  constexpr auto kPeriod = 10ms;
  const auto burst = std::chrono::duration_cast<std::chrono::nanoseconds>(kPeriod * core_share);
  auto next = SteadyClock::now();
  while (true) {
    const auto end = SteadyClock::now() + burst;
    while (SteadyClock::now() < end) {
    }
    next += kPeriod;
    std::this_thread::sleep_until(next);
  }
}

void Join(pid_t pid, int beside) {
  const auto location =
      LocateCgroup(agent::ReadWholeFile("/proc/" + std::to_string(beside) + "/cgroup"),
                   agent::ReadWholeFile("/proc/self/mountinfo"));
  const std::set<std::string> folders{location.unified, location.cpu, location.cpuacct,
                                      location.memory};
  for (const std::string& folder : folders) {
    if (folder.empty()) continue;
    std::ofstream members(folder + "/cgroup.procs");
    members << pid << std::flush;
    if (!members) throw std::runtime_error("cannot join " + folder);
  }
}

}  // namespace

BusyProcess::BusyProcess(int beside, double core_share) : pid_(::fork()) {
  if (pid_ < 0) throw std::runtime_error("cannot fork");
  if (pid_ == 0) WorkInBursts(core_share);
  try {
    Join(pid_, beside);
  } catch (...) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    throw;
  }
}

BusyProcess::~BusyProcess() {
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

}  // namespace mlprof::server::bench
