// How far a profile's measurements reach. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "common/domain/profile.h"
#include "common/domain/trial.h"

namespace mlprof::server {

/// A sentence for each way in which the objective at this CPU limit lies outside of what was run: a
/// rate above the highest throughput, a concurrency above the levels, a limit outside the probed
/// ones, a percentile that takes more requests than one run had, errors above the share allowed.
std::vector<std::string> OutsideOfMeasured(const Profile& profile, std::span<const Trial> trials,
                                           const Objective& objective, Cores cpu);

}  // namespace mlprof::server
