// How long, and how much of it, what grows is kept; what goes of it, and why. Pure: whoever asks
// says what there is and what time it is.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "common/time/timestamp.h"
#include "common/units/bytes.h"

namespace mlprof::server {

/// Something that takes room and can be let go by itself.
struct Holding {
  std::string id;
  Bytes size;
  Timestamp last_used;
  bool needed = false;  // it stays, whatever its age and size, and counts
};

struct RetentionLimits {
  std::optional<std::chrono::hours> age;  // nullopt: for ever
  std::optional<Bytes> size;              // of all together; nullopt: any
};

struct Leaving {
  Holding what;
  std::string why;  // "not used for 30 days"
};

/// First what is older than the limit, then the oldest until the rest is within the size; oldest
/// first.
std::vector<Leaving> ChooseLeaving(std::vector<Holding> holdings, const RetentionLimits& limits,
                                   Timestamp now);

/// "30 days", "36 hours", "90 seconds".
std::string AgeText(std::chrono::seconds age);

/// How long, and how much of it, what grows is kept where nobody says otherwise.
struct RetentionRules {
  RetentionLimits images{std::chrono::hours(30 * 24), GiB(20)};
  /// Older ones are thinned; beyond the size the oldest are dropped.
  RetentionLimits samples{std::chrono::hours(90 * 24), GiB(10)};
};

}  // namespace mlprof::server
