// A system that gives no more processes. Linked into a test program, it stands before posix_spawn.
#pragma once

namespace mlprof::fakes {

/// While one lives, no process can be started with posix_spawn (EAGAIN).
class RefusedProcesses {
 public:
  RefusedProcesses();
  ~RefusedProcesses();
  RefusedProcesses(const RefusedProcesses&) = delete;
  RefusedProcesses& operator=(const RefusedProcesses&) = delete;
};

}  // namespace mlprof::fakes
