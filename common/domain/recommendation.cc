#include "common/domain/recommendation.h"

#include <array>
#include <charconv>

namespace mlprof {
namespace {

// The shortest text that reads back as the same number, so that tags hold the exact answer.
std::string Shortest(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return std::string(text.data(), end);
}

}  // namespace

std::map<std::string, std::string> RecommendationTags(const Recommendation& recommendation) {
  return {{"requestedCpu", Shortest(recommendation.requested.cpu.value())},
          {"requestedMemoryInGb", Shortest(recommendation.requested.memory.gib())}};
}

}  // namespace mlprof
