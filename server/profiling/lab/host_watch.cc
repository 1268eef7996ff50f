#include "server/profiling/lab/host_watch.h"

#include <string_view>

namespace mlprof {
namespace {

constexpr std::string_view kQuiet = "quiet";

}  // namespace

NoiseEvidence HostWatch::Stretch::End(const ResourceUse& use) const {
  NoiseEvidence evidence;
  evidence.host_cores = watch_.cores_;
  const auto after = watch_.read_();
  if (!before_ || !after) return evidence;
  evidence.foreign_cores =
      ForeignCores(*before_, *after, use.cpu_seconds.value_or(0) + use.agent_cpu_seconds);
  evidence.host_cpu_pressure = CpuPressure(*before_, *after);
  evidence.frequency_drop = FrequencyDrop(*before_, *after);
  evidence.steal_share = StealShare(*before_, *after, watch_.cores_);
  return evidence;
}

NoiseVerdict HostWatch::Judge(const NoiseEvidence& evidence) {
  NoiseVerdict verdict = JudgeNoise(evidence);
  noise_ = Worst(noise_, verdict);
  return verdict;
}

NoiseVerdict HostWatch::JudgeDrift(double earlier_ms, double later_ms) {
  NoiseEvidence drift;
  drift.host_cores = cores_;
  drift.anchors_ms = {earlier_ms, later_ms};
  return Judge(drift);
}

HostNoise Worst(const HostNoise& so_far, const NoiseVerdict& verdict) {
  if (verdict.noisy) return {true, verdict.sentence};
  const bool says_more = so_far.sentence.empty() ||
                         (so_far.sentence.starts_with(kQuiet) && verdict.sentence != kQuiet);
  return {so_far.noisy, says_more ? verdict.sentence : so_far.sentence};
}

}  // namespace mlprof
