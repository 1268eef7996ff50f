// One CPU limit tried in the container that serves, where it is changed in place.
#pragma once

#include <optional>

#include "server/analysis/cpu_curve.h"
#include "server/analysis/noise.h"
#include "server/analysis/verdict.h"
#include "server/profiling/lab/lab.h"
#include "server/profiling/phases/reference.h"

namespace mlprof::server::phases {

struct CpuProbe {
  Cores cpu;
  LoadTime time;
  TrialPurpose purpose = TrialPurpose::kCpuProbe;
  /// CPU seconds of a request in this container before. Where it is known, the probe is judged
  /// beside the reference as it would be on a slower host of now, by what a request costs
  /// (OnHostOfCost); and where that is not known, or far from this or from the reference's, it
  /// tells nothing.
  std::optional<double> usual_cost = {};
  std::size_t first_request = 0;  // of the container's order
};

/// Both live longer than what is judged.
struct JudgedBeside {
  const Reference& now;        // what the limit is to be no slower than
  const Reference& reference;  // what fails without a limit, too
};

struct Probed {
  CpuPoint point;
  NoiseEvidence noise;
  Verdict verdict;
  Look look;
  /// CPU time of a request, where there were as many as p95 takes.
  std::optional<double> cpu_seconds_per_query;
  bool clearly_slow = false;  // as IsClearlySlow, or it missed a latency that is asked for
  bool other_host = false;    // CpuProbe::usual_cost has more
  std::int64_t successes = 0;
};

/// Judged as a verification is, by its own latencies and errors; over as soon as it is clearly too
/// slow. The trial is recorded. The limit stays until the next one, or LiftCpuLimit.
PhaseResult<Probed> ProbeCpu(Lab& lab, Container& container, const Workload& workload,
                             const CpuProbe& probe, const JudgedBeside& beside);

/// What a load under its limit shows of it.
CpuPoint PointOf(const Trial& trial);

/// To the ceiling.
PhaseResult<void> LiftCpuLimit(Lab& lab, Container& container);

}  // namespace mlprof::server::phases
