// What the model's processes are called, kept from while they lived: who was killed has no name any
// more once it is reaped.
#pragma once

#include <sys/types.h>

#include <map>
#include <set>
#include <string>
#include <utility>

namespace mlprof::agent {

class ProcessNames {
 public:
  /// `proc` is "/proc" but for tests.
  explicit ProcessNames(std::string proc = "/proc") : proc_(std::move(proc)) {}

  /// Reads the names of those that are new, once more at the next look (a child has its parent's
  /// until it runs a program of its own), and forgets those that are gone.
  void Learn(const std::set<pid_t>& present);
  /// Reads the name of a process that has ended and was not reaped yet.
  void LearnEnded(pid_t pid);
  /// As the kernel calls it, at most 15 bytes of any kind; "" where it never was read.
  std::string Of(pid_t pid) const;
  /// The same, and forgets it.
  std::string Take(pid_t pid);

 private:
  struct Known {
    std::string name;
    bool settled = false;
  };
  std::string Read(pid_t pid) const;

  const std::string proc_;
  std::map<pid_t, Known> names_;
};

}  // namespace mlprof::agent
