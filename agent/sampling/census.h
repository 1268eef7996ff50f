// How many processes and threads the model has, and which runtimes of thread pools are mapped into
// them: those size their pools by the host's cores unless told otherwise.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/sampling/model_processes.h"
#include "common/units/bytes.h"

namespace mlprof::agent {

struct Census {
  int processes = 0;  // without those that have ended and wait to be reaped
  int threads = 0;
  Bytes address_space;  // the largest of any process (ProcessStatus::address_space)
  std::vector<std::string> thread_pools;  // sorted, each once
};

/// Adds the short names ("libgomp", "libopenblas"…) of the pool runtimes that /proc/PID/maps names.
/// Pure.
void AddThreadPools(std::string_view maps, std::set<std::string>& pools);

/// Reads status and maps of each; a process that cannot be read has no pools.
Census TakeCensus(const std::set<pid_t>& pids);

}  // namespace mlprof::agent
