#include "tests/targets/target/heap.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <string>

#include "tests/targets/target/cost.h"
#include "tests/targets/target/options.h"

namespace target {
namespace {

constexpr std::size_t kHeapPage = 4096;
// A collection is quick, as of a young generation: what is needed is what fits, and no more.
constexpr std::chrono::microseconds kCollection{200};

}  // namespace

std::size_t MemoryLimit() {
  const auto machine = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                       static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE));
  for (const char* const path :
       {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    std::ifstream file(path);
    std::uint64_t limit = 0;
    if (file >> limit) return std::min<std::size_t>(limit, machine);
  }
  return machine;
}

Heap::Heap(std::size_t most, std::size_t live) : most_(most), live_(live), used_(live) {
  if (live_ > most_) Refuse("java.lang.OutOfMemoryError: Java heap space");
  void* const memory = mmap(nullptr, std::max(most_, kHeapPage), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) Refuse("mmap");
  memory_ = static_cast<char*>(memory);
  Touch(live_);
}

Heap::~Heap() { munmap(memory_, std::max(most_, kHeapPage)); }

void Heap::Touch(std::size_t end) {
  for (; touched_ < end; touched_ += kHeapPage) memory_[touched_] = 1;
}

bool Heap::Take(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (live_ + bytes > most_) return false;
  if (used_ + bytes > most_) {
    Burn(kCollection);
    used_ = live_;
  }
  used_ += bytes;
  Touch(used_);
  return true;
}

}  // namespace target
