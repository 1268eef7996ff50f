#include "server/profiling/phases/host_watch.h"

#include <string>
#include <string_view>

namespace mlprof::phases {
namespace {

constexpr std::string_view kQuiet = "quiet";

// A disturbance that was told stays told, and so does a drift, however quiet what comes later is.
bool SaysMore(const std::string& told, const std::string& sentence) {
  return told.empty() || (told.starts_with(kQuiet) && sentence != kQuiet);
}

}  // namespace

NoiseEvidence HostWatch::End(const RunContext& context, const ResourceUse& use) const {
  NoiseEvidence evidence;
  evidence.host_cores = context.host_cores;
  const auto after = context.read_host_load();
  if (!before_ || !after) return evidence;
  evidence.foreign_cores =
      ForeignCores(*before_, *after, use.cpu_seconds.value_or(0) + use.agent_cpu_seconds);
  evidence.host_cpu_pressure = CpuPressure(*before_, *after);
  evidence.frequency_drop = FrequencyDrop(*before_, *after);
  evidence.steal_share = StealShare(*before_, *after, context.host_cores);
  return evidence;
}

NoiseVerdict NoteNoise(RunContext& context, const NoiseEvidence& evidence) {
  NoiseVerdict verdict = JudgeNoise(evidence);
  auto& host = context.profile().host;
  if (!verdict.noisy) {
    if (host && SaysMore(host->noise, verdict.sentence)) host->noise = verdict.sentence;
    return verdict;
  }
  context.observed.noisy = true;
  if (host) host->noise = verdict.sentence;
  context.recorder.Warn({"noisyHost",
                         "the host was not quiet while it was measured on: " + verdict.sentence,
                         "profile again when nothing else runs: its limits may be too high"});
  return verdict;
}

}  // namespace mlprof::phases
