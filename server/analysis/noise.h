// Whether the host was quiet enough to measure on, in words. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace mlprof::server {

struct NoiseEvidence {
  double foreign_cores = 0;  // used by neither the model nor the controller, mean
  int host_cores = 1;
  double frequency_drop = 0;  // of the cores, between beginning and end, as a share
  double steal_share = 0;     // of the host's CPU time, taken by the hypervisor, 0 to 1
  std::optional<double> host_cpu_pressure;  // PSI some, percent; told, never judged: the model's
                                            // own quota and load are in it
  /// The same measurement at the same limits, repeated over the run.
  std::vector<double> anchors_ms;
};

struct NoiseVerdict {
  bool noisy = false;
  std::string sentence;  // "quiet", or what disturbed
};

/// Noisy above a tenth of a core of other work for each core of the host, above 2% of stolen time,
/// or where repeated measurements differ by more than 15% (from 5% on the difference is only told)
/// or the cores' clock fell by more than 15%.
NoiseVerdict JudgeNoise(const NoiseEvidence& evidence);

/// Of each figure the worse: what two looks at one host have shown together. Anchors of both count.
NoiseEvidence Worse(const NoiseEvidence& a, const NoiseEvidence& b);

/// Largest over smallest, less 1; 0 of fewer than two positive values.
double AnchorDrift(const std::vector<double>& anchors_ms);

}  // namespace mlprof::server
