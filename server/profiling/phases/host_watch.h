// How quiet the host is while something is measured.
#pragma once

#include "server/analysis/noise.h"
#include "server/analysis/resource_use.h"
#include "server/profiling/host_load.h"
#include "server/profiling/run_context.h"

namespace mlprof::phases {

/// From its construction to End().
class HostWatch {
 public:
  explicit HostWatch(const RunContext& context) : before_(context.read_host_load()) {}

  /// What other work took meanwhile than the profile's container, which used `use`.
  NoiseEvidence End(const RunContext& context, const ResourceUse& use) const;

 private:
  Result<HostLoad> before_;
};

/// Marks the profile where the evidence is of noise: `noisyHost` and, in its host's facts, what it
/// was; a drift that is no noise is told there alone. Returns the verdict.
NoiseVerdict NoteNoise(RunContext& context, const NoiseEvidence& evidence);

}  // namespace mlprof::phases
