// How quiet the host is while something is measured, and how quiet it was over the whole run. Used
// by the thread that runs the profile.
#pragma once

#include <string>
#include <utility>

#include "server/analysis/noise.h"
#include "server/analysis/resource_use.h"
#include "server/runtime/host_load.h"

namespace mlprof::server {

/// What is told of the host's quiet, wherever it is told: the worst of each figure that was seen.
struct HostNoise {
  bool noisy = false;
  /// "quiet", "quiet, but …", or what disturbed; "" where that is not known: nobody looked yet, or
  /// could.
  std::string sentence;
  std::string unknown = {};  // why its load could not be read throughout; "" where it could
};

class HostWatch {
 public:
  /// From Begin() to End().
  class Stretch {
   public:
    /// What other work took meanwhile than the profile's container, which used `use`. Nothing where
    /// the load could not be read: then the host is not called quiet any more.
    NoiseEvidence End(const ResourceUse& use) const;

   private:
    friend class HostWatch;
    Stretch(HostWatch& watch, int cores, HostLoadReader read)
        : watch_(watch), cores_(cores), read_(std::move(read)), before_(read_()) {}
    HostWatch& watch_;
    const int cores_;
    const HostLoadReader read_;
    const Result<HostLoad> before_;
  };
  /// On a machine of so many cores, whose load `read` gives.
  Stretch Begin(int cores, HostLoadReader read) { return {*this, cores, std::move(read)}; }

  /// Judges the evidence, and keeps the worst of each figure of all that was judged.
  NoiseVerdict Judge(const NoiseEvidence& evidence);
  /// The same of one measurement that was repeated: `later` by `earlier` at the same limits.
  NoiseVerdict JudgeDrift(double earlier_ms, double later_ms);

  const HostNoise& noise() const { return noise_; }
  bool noisy() const { return noise_.noisy; }
  /// Of that: something else used it, whatever the same measurement gave when it was repeated.
  /// Where a request costs what it did, a host that was slower for a while says nothing.
  bool busy() const;

 private:
  void CouldNotTell(const Error& why);

  NoiseEvidence seen_;  // the worst of each figure
  HostNoise noise_;
};

}  // namespace mlprof::server
