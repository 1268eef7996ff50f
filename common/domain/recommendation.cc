#include "common/domain/recommendation.h"

#include "common/text/shortest.h"

namespace mlprof {
// Shortest texts, so that tags hold the exact answer.
std::map<std::string, std::string> RecommendationTags(const Recommendation& recommendation) {
  return {{"requestedCpu", Shortest(recommendation.requested.cpu.value())},
          {"requestedMemoryInGb", Shortest(recommendation.requested.memory.gib())}};
}

}  // namespace mlprof
