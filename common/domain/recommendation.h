// The answer: what to request, how sure it is, and the tags that carry it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/domain/device_findings.h"
#include "common/domain/findings.h"
#include "common/domain/limits.h"
#include "common/domain/settings.h"

namespace mlprof {

enum class Confidence { kHigh, kMedium, kLow };

/// The range that a recommended amount lies in. `low` is the largest amount known to fall short (or
/// the measured need), `high` one known to be ample.
struct Bound {
  Amount low;
  Amount high;
  std::string reason;  // one sentence a person understands
  Confidence confidence = Confidence::kLow;
  bool at_floor = false;    // the requested amount is the smallest there is: no lower one was tried
  bool low_failed = false;  // `low` was run, fell short and did not hold after: less than the range
  std::string because = {};  // why it is as sure as it is; empty where that was not written down
  /// Whether one step lower fell short, as Recommendation::tight; absent: not told apart, or at the
  /// floor.
  std::optional<bool> tight = {};
  bool operator==(const Bound&) const = default;
};

/// Until a fresh container serves.
struct StartTime {
  double seconds = 0;
  double cpu_seconds = 0;  // that the start takes
  bool operator==(const StartTime&) const = default;
};

/// What a start takes: the median of those that were measured.
struct StartFigures {
  std::optional<StartTime> at_limits;  // absent: no container was proven at these limits
  StartTime at_ceiling;
  /// That start it as soon as the objective asks; without one, as many as it kept busy at the
  /// ceiling.
  Cores startup_cpu;
  bool operator==(const StartFigures&) const = default;
};

/// The processes that serve, where there is more than one.
struct ServingWorkers {
  int count = 0;
  std::optional<Bytes> per_worker_memory;  // that each has for itself alone; absent: not readable
  int reached = 0;                         // that had a row before anything was judged
  bool operator==(const ServingWorkers&) const = default;
};

struct Recommendation {
  Limits requested;
  bool verified = false;
  /// Of every resource that is not at its floor two of three runs one step lower failed; false
  /// where two held, or one before the proof that may not become the answer; absent: not all were
  /// tried.
  std::optional<bool> tight;
  Confidence confidence = Confidence::kLow;
  PerResource<Bound> bounds;  // of what was measured
  std::map<std::string, std::string> environment_variables;
  std::optional<int> max_concurrency;
  std::optional<double> max_requests_per_second;
  std::optional<StartFigures> start;  // absent: none was measured
  std::optional<ServingWorkers> workers = {};
  std::optional<PodResources> kubernetes = {};  // absent: nothing was measured at these limits
  std::optional<RareEvents> rare_events = {};   // likewise
  std::optional<DeviceFindings> device = {};    // absent: it has none, or none was measured
  std::vector<CpuPoint> curve = {};  // the objective's load at the limits that were tried
  bool operator==(const Recommendation&) const = default;

  /// It is said of what was proven alone.
  void ForgetTightness() {
    tight.reset();
    for (const ResourceKind kind : kResources) {
      if (Bound* bound = bounds.Find(kind)) bound->tight.reset();
    }
  }

  /// The bound of the resource that it is an amount of.
  void Set(Bound bound) {
    const ResourceKind kind = bound.low.kind();
    bounds.Set(kind, std::move(bound));
  }
};

/// {"requestedCpu": "0.4", "requestedMemoryInGb": "0.5"}, as written on models by `apply`; with
/// "requestedDeviceMemoryInGb" (on each) and "requestedDevices" where a device is part of it.
std::map<std::string, std::string> RecommendationTags(const Recommendation& recommendation);

}  // namespace mlprof
