// What would be asked for under another objective, worked out of what a profile has measured.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/domain/objective.h"
#include "common/domain/recommendation.h"

namespace mlprof::client {

struct WhatIf {
  std::optional<Objective> objective;   // the whole of it; absent: the profile's own
  std::optional<double> memory_margin;  // share on top of the need; absent: the profile's own
};

struct WhatIfRecommendation {
  Recommendation recommendation;
  bool within_measured = false;    // false: an extrapolation
  std::vector<std::string> notes;  // sentences
};

}  // namespace mlprof::client
