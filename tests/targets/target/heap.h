// A heap as runtimes with a collector have it: its size follows the container's memory limit, and
// garbage stays until it is full.
#pragma once

#include <cstddef>
#include <mutex>

namespace target {

/// What the container may use, by its cgroup; where that says nothing, what the machine has.
std::size_t MemoryLimit();

/// Any thread.
class Heap {
 public:
  /// `most` bytes, of which `live` are never garbage. Exits where live is more than that.
  Heap(std::size_t most, std::size_t live);
  ~Heap();
  Heap(const Heap&) = delete;
  Heap& operator=(const Heap&) = delete;

  /// Takes so much and leaves it as garbage. False where a collection does not make room for it.
  bool Take(std::size_t bytes);

 private:
  void Touch(std::size_t end);

  const std::size_t most_;
  const std::size_t live_;
  char* memory_ = nullptr;
  std::mutex mutex_;
  std::size_t used_ = 0;
  std::size_t touched_ = 0;  // never given back
};

}  // namespace target
