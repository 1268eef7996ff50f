// What a start costs in cores and time, from how it went at full speed. Pure.
#pragma once

#include <span>
#include <string>

#include "common/domain/objective.h"
#include "common/domain/recommendation.h"

namespace mlprof::server {

/// The fewest cores, on the grid, with which a start that went so at `ceiling` may be over within
/// so many seconds. What it waits for (a disk, other services) no cores make shorter: counted as
/// what its CPU seconds leave of its time, as of one thread. The ceiling where none are enough.
Cores CoresToStart(const StartTime& at_ceiling, double within_seconds, Cores ceiling);

/// What a recommendation says of the starts: of their medians. `at_limits` may be empty,
/// `at_ceiling` not.
StartFigures FiguresOfStarts(std::span<const StartTime> at_limits,
                             std::span<const StartTime> at_ceiling, const Objective& objective,
                             Cores ceiling);

/// What is known of the starts where another objective asks for `limit`: `own` was measured at
/// `measured`.
StartFigures ForecastStart(const StartFigures& own, Cores measured, Cores limit,
                           const Objective& objective, Cores ceiling);

/// Over twice the time at the ceiling, and by a second at least: less nobody waits for.
bool StartsSlowly(const StartFigures& start);

/// "31 s at 0.3 cores, 6 s at 2": at the limits first, where it was measured there.
std::string StartText(const StartFigures& start, Cores limit, Cores ceiling);

}  // namespace mlprof::server
