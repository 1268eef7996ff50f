// The answer: what to request, how sure it is, and the tags that carry it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "common/domain/limits.h"

namespace mlprof {

enum class Confidence { kHigh, kMedium, kLow };

/// The range that a recommended amount lies in. `low` is the largest amount known to fall short (or
/// the measured need), `high` one known to be ample.
struct Bound {
  Amount low;
  Amount high;
  std::string reason;  // one sentence a person understands
  Confidence confidence = Confidence::kLow;
  bool operator==(const Bound&) const = default;
};

struct Recommendation {
  Limits requested;
  bool verified = false;
  std::optional<bool> tight;  // absent: not every resource was tried one step lower
  Confidence confidence = Confidence::kLow;
  PerResource<Bound> bounds;  // of what was measured
  std::map<std::string, std::string> environment_variables;
  std::optional<int> max_concurrency;
  std::optional<double> max_requests_per_second;
  bool operator==(const Recommendation&) const = default;

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
