// Memory that is kept for each different input.
#pragma once

#include <cstddef>
#include <list>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace target {

/// As a program's own cache: on the heap, the oldest input goes where a bound is reached. Any
/// thread.
class InputCache {
 public:
  /// `most` bytes at once; 0: no bound.
  explicit InputCache(std::size_t most) : most_(most) {}

  /// Keeps so many bytes for this input, unless it has them already.
  void Keep(const std::string& input, std::size_t bytes);

  std::size_t bytes() const;

 private:
  void Evict();

  const std::size_t most_;
  mutable std::mutex mutex_;
  std::size_t bytes_ = 0;
  std::list<std::pair<std::string, std::vector<char>>> kept_;  // the oldest first
  std::set<std::string> inputs_;
};

}  // namespace target
