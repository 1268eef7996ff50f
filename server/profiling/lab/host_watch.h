// How quiet the host is while something is measured, and how quiet it was over the whole run. Used
// by the thread that runs the profile.
#pragma once

#include <string>

#include "server/analysis/noise.h"
#include "server/analysis/resource_use.h"
#include "server/profiling/lab/host_load.h"

namespace mlprof {

/// What is told of the host's quiet: the worst that was seen.
struct HostNoise {
  bool noisy = false;
  std::string sentence;  // "quiet", "quiet, but …", or what disturbed; "": not looked at yet
};

class HostWatch {
 public:
  HostWatch(HostLoadReader read, int host_cores) : read_(std::move(read)), cores_(host_cores) {}

  /// From Begin() to End().
  class Stretch {
   public:
    /// What other work took meanwhile than the profile's container, which used `use`.
    NoiseEvidence End(const ResourceUse& use) const;

   private:
    friend class HostWatch;
    explicit Stretch(const HostWatch& watch) : watch_(watch), before_(watch.read_()) {}
    const HostWatch& watch_;
    const Result<HostLoad> before_;
  };
  Stretch Begin() const { return Stretch(*this); }

  /// Judges the evidence and keeps the worst of all that was judged.
  NoiseVerdict Judge(const NoiseEvidence& evidence);
  /// The same of one measurement that was repeated: `later` by `earlier` at the same limits.
  NoiseVerdict JudgeDrift(double earlier_ms, double later_ms);

  const HostNoise& noise() const { return noise_; }
  bool noisy() const { return noise_.noisy; }
  int cores() const { return cores_; }

 private:
  const HostLoadReader read_;
  const int cores_;
  HostNoise noise_;
};

/// `so_far` with one verdict more: a disturbance that was told stays told, and so does a drift,
/// however quiet what comes later is. Pure.
HostNoise Worst(const HostNoise& so_far, const NoiseVerdict& verdict);

}  // namespace mlprof
