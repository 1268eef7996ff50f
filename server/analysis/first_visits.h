// The first visits of rows beside later ones: what a process pays for a row, or a shape of row,
// that it has not seen, and whether it answers rows that it has seen from memory. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "common/domain/findings.h"
#include "common/domain/objective.h"
#include "common/domain/trial.h"

namespace mlprof::server {

/// Over the rows that have both, in the order of their first visits. nullopt where there are none.
std::optional<ColdRows> SummarizeColdRows(std::span<const RowRecord> rows);

/// Whether first visits cost so much more than later ones that somebody should know: of at least
/// three rows, and one in twenty.
bool FirstVisitsAreDear(const ColdRows& cold);

/// Whether they cost what later ones do, by a tenth at most: in latency, over all rows together.
bool FirstVisitsCostTheSame(const ColdRows& cold);

struct VisitCost {
  std::uint32_t row = 0;
  double latency_ms = 0;
  std::optional<double> cpu_ms = {};
};

/// `visits`: one at a time, in their order, over and over the same rows. A response cache is what
/// makes the second visit cost less than half of the first, more than a millisecond less, and about
/// what any answer costs (5 ms at most): a model that only compiles for a row works on when it
/// comes again. Late first visits are compared with the second ones that follow them at once, so
/// that a process that becomes warm, whichever rows come, is not taken for one. nullopt for fewer
/// than ten rows, or fewer than half of them visited again.
std::optional<ResponseCache> RecognizeResponseCache(std::span<const VisitCost> visits);

/// What `objective` keeps busy where every row is a first visit; nullopt without its CPU time.
std::optional<double> CoresOfFirstVisits(const ResponseCache& cache, const Objective& objective);

}  // namespace mlprof::server
