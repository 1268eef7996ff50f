// What follows from an answer for whoever deploys it, beside the two numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/units/bytes.h"
#include "common/units/cores.h"

namespace mlprof {

/// What a pod of Kubernetes asks for and is held to.
struct PodResources {
  Cores requests_cpu;               // what the model uses under the objective's load
  std::optional<Cores> limits_cpu;  // at which the quota stops nothing; absent: set none
  Bytes memory;                     // request and limit alike
  std::optional<Cores> startup_cpu;
  std::string because;  // why this limit on CPU, and what a lower one costs
  bool operator==(const PodResources&) const = default;
};

/// What was never seen in so many requests may still happen, and how often at most.
struct RareEvents {
  std::int64_t requests = 0;  // at the recommended limits, none of which ended in a kill
  double upper_bound = 0;     // of their share in all requests, at 95% confidence
  bool operator==(const RareEvents&) const = default;
};

}  // namespace mlprof
