// How much a run must have seen before it proves that limits behave as the model does without one.
// Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "common/domain/objective.h"

namespace mlprof::server {

/// Quota periods of 100 ms: as many as tell whether a quota binds, by the share of them that it
/// ended. Chosen, not measured.
inline constexpr int kQuotaPeriods = 30;

/// What a run that passed lacks to be a proof, as a sentence; nullopt where nothing. p95's count
/// and kQuotaPeriods of serving; an objective for latency has counts of its own, which decide the
/// confidence instead.
std::optional<std::string> LacksForProof(const Objective& objective, std::size_t successes,
                                         double serving_seconds);

/// That p99 is not proven, where each run of a proof has to see its count (299) by itself: their
/// requests are not added up, because neighbours are slow together and containers differ.
/// `fewest`: the successes of the run that has fewest. nullopt where it is proven, or not asked.
std::optional<std::string> UnprovenTail(const Objective& objective, std::size_t fewest);

}  // namespace mlprof::server
