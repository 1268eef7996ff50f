// How far a profile's measurements reach. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/domain/profile.h"
#include "common/domain/trial.h"

namespace mlprof::server {

/// A load that was held.
struct HeldLoad {
  NearestRun run;
  double per_second = 0;  // requests: that were served, or asked for and kept up with
};

/// What the profile saw the model serve, at whatever limits.
struct MeasuredLoads {
  std::vector<HeldLoad> held;

  /// The most requests per second; 0 of no runs.
  double HighestThroughput() const;
  /// The most requests in flight; 0 of no runs.
  int HighestConcurrency() const;
  /// The run whose load comes nearest to the objective's: of those with as much the least, else the
  /// most. `short_of` says what it lacks of the load or the p95; empty where it lacks neither.
  std::optional<NearestRun> Nearest(const Objective& objective) const;
};

MeasuredLoads LoadsOf(const Profile& profile, std::span<const Trial> trials);

/// That the objective asks for more load than was measured, in a sentence; nothing of what could
/// serve it was seen then. nullopt where it does not.
std::optional<std::string> MoreThanMeasured(const MeasuredLoads& loads, const Objective& objective);

/// A sentence for each other way in which the objective at this CPU limit lies outside of what was
/// run: a limit outside the probed ones, a percentile that takes more requests than one run had,
/// errors above the share allowed.
std::vector<std::string> OutsideOfMeasured(const Profile& profile, std::span<const Trial> trials,
                                           const Objective& objective, Cores cpu);

}  // namespace mlprof::server
