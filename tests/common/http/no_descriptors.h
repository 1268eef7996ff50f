// A process without a free descriptor, for tests of what happens then.
#pragma once

#include <fcntl.h>
#include <sys/resource.h>

#include <chrono>
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
    const rlimit few{kFew, before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &few);
    TakeAll();
  }
  ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;

  // A number that another thread's accept() holds for the moment it looks whether anybody waits
  // cannot be taken, and is free again just afterwards: so the table itself is asked.
  void TakeAll() {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    while (std::chrono::steady_clock::now() < limit) {
      UniqueFd taken(::open("/dev/null", O_RDONLY | O_CLOEXEC));
      if (taken) {
        taken_.push_back(std::move(taken));
      } else if (EachIsOpen()) {
        return;
      }
    }
  }
  void GiveBack(std::size_t count) {
    while (count-- > 0 && !taken_.empty()) taken_.pop_back();
  }

 private:
  static constexpr int kFew = 256;

  static bool EachIsOpen() {
    for (int number = 0; number < kFew; ++number) {
      if (::fcntl(number, F_GETFD) < 0) return false;
    }
    return true;
  }

  rlimit before_{};
  std::vector<UniqueFd> taken_;
};

}  // namespace mlprof
