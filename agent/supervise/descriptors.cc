#include "agent/supervise/descriptors.h"

#include <sys/resource.h>

#include <optional>

namespace mlprof::agent {
namespace {

std::optional<rlimit>& AtStart() {
  static std::optional<rlimit> limit;
  return limit;
}

}  // namespace

void RaiseDescriptorLimit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  if (!AtStart()) AtStart() = limit;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

void RestoreDescriptorLimit() {
  if (AtStart()) ::setrlimit(RLIMIT_NOFILE, &*AtStart());
}

}  // namespace mlprof::agent
