// CPU time used so far: of the whole host and of this process, with what it waited for.
#pragma once

#include <chrono>

namespace mlprof::server::bench {

struct HostUse {
  std::chrono::nanoseconds at{0};  // CLOCK_MONOTONIC
  double busy_seconds = 0;         // the host, over all cores, what the hypervisor took included
  double own_seconds = 0;          // this process
};

/// Throws std::runtime_error.
HostUse ReadHostUse();

/// Cores that others used on average; `contestants_seconds`: what container and wrk used.
double ForeignCores(const HostUse& before, const HostUse& after, double contestants_seconds);

}  // namespace mlprof::server::bench
