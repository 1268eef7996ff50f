// The memory of a load, a margin or a number of workers that were not run. Pure.
#pragma once

#include "common/domain/profile.h"
#include "server/analysis/what_if/what_if.h"

namespace mlprof::server {

/// Sets the memory of `answer`, which has a recommendation, its bound, and notes on how far to
/// trust it. The margin is on the measured need, and never below what is known to fall short.
/// `more_in_flight`: requests beyond those of the profile's own answer.
void AnswerMemory(const Profile& profile, const WhatIfQuestion& question, double more_in_flight,
                  WhatIfAnswer& answer);

}  // namespace mlprof::server
