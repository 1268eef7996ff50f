// How long, and how much of it, what grows is kept.
#pragma once

#include "server/retention/policy.h"

namespace mlprof::server {

struct RetentionRules {
  RetentionLimits images{std::chrono::hours(30 * 24), GiB(20)};
  /// Older ones are thinned; beyond the size the oldest are dropped.
  RetentionLimits samples{std::chrono::hours(90 * 24), GiB(10)};
};

}  // namespace mlprof::server
