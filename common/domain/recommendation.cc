#include "common/domain/recommendation.h"

#include "common/text/shortest.h"

namespace mlprof {
// Shortest texts, so that tags hold the exact answer.
std::map<std::string, std::string> RecommendationTags(const Recommendation& recommendation) {
  const Limits& requested = recommendation.requested;
  std::map<std::string, std::string> tags = {
      {"requestedCpu", Shortest(requested.cpu().value())},
      {"requestedMemoryInGb", Shortest(requested.memory().gib())}};
  if (const auto device = requested.device_memory()) {
    tags["requestedDeviceMemoryInGb"] = Shortest(device->each.gib());
    tags["requestedDevices"] = std::to_string(device->count);
  }
  return tags;
}

}  // namespace mlprof
