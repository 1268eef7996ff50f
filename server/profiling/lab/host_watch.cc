#include "server/profiling/lab/host_watch.h"

#include <string_view>

namespace mlprof::server {
namespace {

constexpr std::string_view kQuiet = "quiet";

}  // namespace

NoiseEvidence HostWatch::Stretch::End(const ResourceUse& use) const {
  NoiseEvidence evidence;
  evidence.host_cores = cores_;
  const auto after = read_();
  if (!before_ || !after) {
    watch_.CouldNotTell(before_ ? after.error() : before_.error());
    return evidence;
  }
  evidence.foreign_cores =
      ForeignCores(*before_, *after, use.cpu_seconds.value_or(0) + use.agent_cpu_seconds);
  evidence.host_cpu_pressure = CpuPressure(*before_, *after);
  evidence.frequency_drop = FrequencyDrop(*before_, *after);
  evidence.steal_share = StealShare(*before_, *after, cores_);
  return evidence;
}

NoiseVerdict HostWatch::Judge(const NoiseEvidence& evidence) {
  NoiseVerdict verdict = JudgeNoise(evidence);
  noise_ = Worst(noise_, verdict);
  return verdict;
}

NoiseVerdict HostWatch::JudgeDrift(double earlier_ms, double later_ms) {
  NoiseEvidence drift;
  drift.anchors_ms = {earlier_ms, later_ms};
  return Judge(drift);
}

void HostWatch::CouldNotTell(const Error& why) {
  if (noise_.unknown.empty()) noise_.unknown = why.message();
  if (!noise_.noisy) noise_.sentence.clear();
}

HostNoise Worst(const HostNoise& so_far, const NoiseVerdict& verdict) {
  if (verdict.noisy) return {true, verdict.sentence, so_far.unknown};
  if (!so_far.unknown.empty()) return so_far;
  const bool says_more = so_far.sentence.empty() ||
                         (so_far.sentence.starts_with(kQuiet) && verdict.sentence != kQuiet);
  return {so_far.noisy, says_more ? verdict.sentence : so_far.sentence};
}

}  // namespace mlprof::server
