// A process without a free descriptor, for tests of what happens then.
#pragma once

#include <fcntl.h>
#include <sys/resource.h>

#include <filesystem>
#include <iterator>
#include <vector>

#include "common/os/unique_fd.h"

namespace mlprof {

inline std::size_t OpenDescriptors() {
  const std::filesystem::directory_iterator open("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(open), end(open)));
}

/// While it lives, all descriptors of this process but those given back are taken.
class NoDescriptors {
 public:
  NoDescriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit few{256, before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &few);
    TakeAll();
  }
  ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;

  void TakeAll() {
    while (true) {
      UniqueFd taken(::open("/dev/null", O_RDONLY | O_CLOEXEC));
      if (!taken) return;
      taken_.push_back(std::move(taken));
    }
  }
  void GiveBack(std::size_t count) {
    while (count-- > 0 && !taken_.empty()) taken_.pop_back();
  }

 private:
  rlimit before_{};
  std::vector<UniqueFd> taken_;
};

}  // namespace mlprof
