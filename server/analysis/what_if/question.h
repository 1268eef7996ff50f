// What is asked, beside what the profile was asked. Pure.
#pragma once

#include "common/domain/profile.h"
#include "common/result/result.h"
#include "server/analysis/what_if/what_if.h"

namespace mlprof::server {

/// kInvalidArgument for a question that cannot be.
Status CheckQuestion(const WhatIfQuestion& question);

/// kInvalidArgument for workers of a profile that saw none. `profile` has a recommendation.
Status CheckWorkers(const Profile& profile, const WhatIfQuestion& question);

/// A profile of both kinds of connections answers for each.
bool SameConnections(const Objective& asked, const Objective& own);

/// But for the connections.
bool SameObjective(const Objective& a, const Objective& b);

/// No other margin than the answer's.
bool OwnMargin(const WhatIfQuestion& question);

/// Another number of them than the answer was measured with. `profile` has a recommendation, with
/// workers where some are asked for.
bool OtherWorkers(const Profile& profile, const WhatIfQuestion& question);

}  // namespace mlprof::server
