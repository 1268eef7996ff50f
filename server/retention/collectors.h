// One look at each kind of what grows. What cannot be looked at, or does not go, becomes a note.
#pragma once

#include "server/retention/retention.h"

namespace mlprof::server {

/// How many points of each series of an old profile stay: enough for any plot of it.
inline constexpr std::size_t kThinnedPoints = 600;

void CollectImages(const RetentionServices& services, const RetentionLimits& limits,
                   const Sweep& sweep, Collection& found);
/// Into the quarantine, which has limits of its own (server/storage/quarantine.h).
void CollectContent(const RetentionServices& services, const Sweep& sweep, Collection& found);
void CollectSamples(const RetentionServices& services, const RetentionLimits& limits,
                    const Sweep& sweep, Collection& found);
void CollectProfiles(const RetentionServices& services, const Sweep& sweep, Collection& found);

/// Whether there is time for one more; else notes it.
bool MayGoOn(const Sweep& sweep, const char* kind, Collection& found);

}  // namespace mlprof::server
