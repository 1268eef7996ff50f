#include "server/profiling/lab/host_watch.h"

namespace mlprof::server {

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
  seen_ = Worse(seen_, evidence);
  const NoiseVerdict all = JudgeNoise(seen_);
  noise_.noisy = all.noisy;
  // What is not known to be quiet is not called so.
  noise_.sentence = all.noisy || noise_.unknown.empty() ? all.sentence : "";
  return JudgeNoise(evidence);
}

NoiseVerdict HostWatch::JudgeDrift(double earlier_ms, double later_ms) {
  NoiseEvidence drift;
  drift.anchors_ms = {earlier_ms, later_ms};
  return Judge(drift);
}

bool HostWatch::busy() const {
  NoiseEvidence others = seen_;
  others.anchors_ms.clear();
  return JudgeNoise(others).noisy;
}

void HostWatch::CouldNotTell(const Error& why) {
  if (noise_.unknown.empty()) noise_.unknown = why.message();
  if (!noise_.noisy) noise_.sentence.clear();
}

}  // namespace mlprof::server
