#include "server/analysis/noise.h"

#include <algorithm>

#include "server/analysis/sentence.h"

namespace mlprof::server {
namespace {

// Chosen; checked with other work on half of each core, which is flagged each time
// (docs/MEASUREMENT.md, "What was planted and found").
constexpr double kNoisyForeignCores = 0.10;  // of one core, for each core of the host
constexpr double kNoisySteal = 0.02;
constexpr double kToldDrift = 0.05;
constexpr double kNoisyDrift = 0.15;
constexpr double kNoisyFrequencyDrop = 0.15;

std::string Joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

}  // namespace

double AnchorDrift(const std::vector<double>& anchors_ms) {
  if (anchors_ms.size() < 2) return 0;
  const auto [least, most] = std::minmax_element(anchors_ms.begin(), anchors_ms.end());
  return *least > 0 ? *most / *least - 1 : 0;
}

NoiseEvidence Worse(const NoiseEvidence& a, const NoiseEvidence& b) {
  NoiseEvidence worse;
  const NoiseEvidence& busier =
      a.foreign_cores * b.host_cores >= b.foreign_cores * a.host_cores ? a : b;
  worse.foreign_cores = busier.foreign_cores;
  worse.host_cores = busier.host_cores;
  worse.frequency_drop = std::max(a.frequency_drop, b.frequency_drop);
  worse.steal_share = std::max(a.steal_share, b.steal_share);
  worse.host_cpu_pressure = std::max(a.host_cpu_pressure, b.host_cpu_pressure);
  const bool first = AnchorDrift(a.anchors_ms) >= AnchorDrift(b.anchors_ms);
  worse.anchors_ms = first ? a.anchors_ms : b.anchors_ms;
  return worse;
}

NoiseVerdict JudgeNoise(const NoiseEvidence& evidence) {
  const bool disturbed = evidence.foreign_cores > kNoisyForeignCores * evidence.host_cores ||
                         evidence.steal_share > kNoisySteal;
  const double drift = AnchorDrift(evidence.anchors_ms);
  NoiseVerdict verdict;
  const bool slowed = evidence.frequency_drop > kNoisyFrequencyDrop;
  verdict.noisy = disturbed || slowed || drift > kNoisyDrift;
  std::vector<std::string> parts;
  if (disturbed) {
    parts.push_back(Sentence("other work used %.2f cores, %.1f%% of the time was stolen",
                             evidence.foreign_cores, evidence.steal_share * 100));
  }
  if (drift > kToldDrift) {
    parts.push_back(
        Sentence("the same measurement differed by %.0f%% within the run", drift * 100));
  }
  if (slowed) {
    parts.push_back(Sentence("the cores' clock fell by %.0f%%", evidence.frequency_drop * 100));
  }
  if (verdict.noisy && evidence.host_cpu_pressure) {
    parts.push_back(
        Sentence("some task waited for a core %.0f%% of the time", *evidence.host_cpu_pressure));
  }
  verdict.sentence = Joined(parts);
  if (!verdict.noisy) {
    verdict.sentence = verdict.sentence.empty() ? "quiet" : "quiet, but " + verdict.sentence;
  }
  return verdict;
}

}  // namespace mlprof::server
