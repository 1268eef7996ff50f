#include "common/os/descriptor_limit.h"

#include <sys/resource.h>

#include <algorithm>
#include <optional>

namespace mlprof {
namespace {

// Set once, by whoever raises the limit.
std::optional<rlimit>& AtStart() {
  static std::optional<rlimit> limit;
  return limit;
}

}  // namespace

std::size_t DescriptorLimit() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 0;
}

void RaiseDescriptorLimit(std::size_t most) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  if (!AtStart()) AtStart() = limit;
  limit.rlim_cur = std::max<rlim_t>(limit.rlim_cur, std::min<rlim_t>(limit.rlim_max, most));
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

std::size_t DescriptorLimitAtStart() {
  return AtStart() ? static_cast<std::size_t>(AtStart()->rlim_cur) : DescriptorLimit();
}

void RestoreDescriptorLimit() {
  if (AtStart()) ::setrlimit(RLIMIT_NOFILE, &*AtStart());
}

}  // namespace mlprof
