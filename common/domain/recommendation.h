// The answer: what to request, how sure it is, and the tags that carry it.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "common/domain/limits.h"

namespace mlprof {

enum class Confidence { kHigh, kMedium, kLow };

/// A recommended quantity with the range it lies in. `low` is the largest value known to fall
/// short (or the measured need), `high` one known to be ample.
template <class Quantity>
struct Bound {
  Quantity low;
  Quantity high;
  std::string reason;  // one sentence a person understands
  Confidence confidence = Confidence::kLow;
  bool operator==(const Bound&) const = default;
};

struct Recommendation {
  Limits requested;
  bool verified = false;
  std::optional<bool> tight;  // absent: not both resources were tried one step lower
  Confidence confidence = Confidence::kLow;
  Bound<Cores> cpu;
  Bound<Bytes> memory;
  std::map<std::string, std::string> environment_variables;
  std::optional<int> max_concurrency;
  std::optional<double> max_requests_per_second;
  bool operator==(const Recommendation&) const = default;
};

/// {"requestedCpu": "0.4", "requestedMemoryInGb": "0.5"}, as written on models by `apply`.
std::map<std::string, std::string> RecommendationTags(const Recommendation& recommendation);

}  // namespace mlprof
