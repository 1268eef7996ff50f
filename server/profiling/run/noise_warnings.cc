#include "server/profiling/run/noise_warnings.h"

#include <string>

#include "server/analysis/sentence.h"
#include "server/profiling/run/answer_confidence.h"

namespace mlprof::server {

std::vector<Warning> NoiseWarnings(const RunFacts& facts) {
  std::vector<Warning> warnings;
  if (!facts.noise.unknown.empty()) {
    warnings.push_back(
        {"hostLoadUnknown",
         "how busy the host was with other things could not be told: " + facts.noise.unknown,
         "see that nothing else runs there: other work may make the limits too high"});
  }
  if (!facts.noise.noisy) return warnings;
  const std::string touched = NoiseRaised(facts, ResourceKind::kMemory)
                                  ? "the CPU and the memory limit may be too high: "
                                  : "the CPU limit may be too high, memory is not touched by it: ";
  warnings.push_back({kNoisyHostWarning,
                      "the host was not quiet while it was measured on: " + facts.noise.sentence,
                      touched + kWhenQuiet});
  return warnings;
}

}  // namespace mlprof::server
