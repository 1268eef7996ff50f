// A process in a container's cgroup that uses a share of a core, as a model that serves does, while
// no row goes through the agent.
#pragma once

#include <sys/types.h>

namespace mlprof::server::bench {

class BusyProcess {
 public:
  /// Runs in the cgroup of process `beside`, in a burst every 10 ms. Needs root; throws
  /// std::runtime_error. `core_share` from 0 to 1.
  BusyProcess(int beside, double core_share);
  ~BusyProcess();
  BusyProcess(const BusyProcess&) = delete;
  BusyProcess& operator=(const BusyProcess&) = delete;

 private:
  pid_t pid_;
};

}  // namespace mlprof::server::bench
