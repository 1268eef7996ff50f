#include "server/analysis/heap.h"

#include <array>

namespace mlprof::server {
namespace {

// Java, .NET, Node, Go (which dies so only where the kernel refuses it an address range), Python,
// C++, TensorFlow and PyTorch, in their own words.
constexpr std::array<std::string_view, 9> kFullHeap = {
    "java.lang.OutOfMemoryError",
    "System.OutOfMemoryException",
    "JavaScript heap out of memory",
    "runtime: out of memory",
    "MemoryError",
    "std::bad_alloc",
    "Cannot allocate memory",
    "OOM when allocating tensor",
    "DefaultCPUAllocator: can't allocate memory",
};
// What stands in the same line where it is a device that is full.
constexpr std::array<std::string_view, 4> kOfDevices = {"CUDA", "cuda", "GPU", "TPU"};

constexpr double kMostShare = 0.85;
constexpr Bytes kLeastDifference = MiB(32);
// A JVM reserves a quarter of the limit, others more. Chosen between that and nothing.
constexpr double kLeastReserved = 0.1;

// Frameworks for devices tell of a full one in the line that says so.
bool IsOfDevice(std::string_view text, std::size_t at) {
  const std::size_t newline = text.rfind('\n', at);
  const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
  const std::string_view line = text.substr(begin, text.find('\n', at) - begin);
  for (const std::string_view word : kOfDevices) {
    if (line.find(word) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

std::optional<std::string> FullHeapWords(std::string_view text) {
  for (const std::string_view words : kFullHeap) {
    const std::size_t at = text.find(words);
    if (at != std::string_view::npos && !IsOfDevice(text, at)) return std::string(words);
  }
  return std::nullopt;
}

bool ReservesByLimit(const Reserved& higher, const Reserved& lower) {
  if (lower.address_space == Bytes() || higher.address_space <= lower.address_space) return false;
  if (higher.limit <= lower.limit) return false;
  const Bytes less = higher.address_space - lower.address_space;
  return less >= kLeastDifference && less >= Scale(higher.limit - lower.limit, kLeastReserved);
}

bool TakesLess(Bytes at_higher_limit, Bytes at_lower_limit) {
  return at_lower_limit + kLeastDifference <= at_higher_limit &&
         at_lower_limit <= Scale(at_higher_limit, kMostShare);
}

}  // namespace mlprof::server
