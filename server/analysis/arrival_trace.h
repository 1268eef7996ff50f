// Recorded arrivals: what a dataset of times says of a rate. Pure.
#pragma once

#include <cstddef>

#include "common/domain/dataset.h"
#include "common/domain/objective.h"
#include "common/result/result.h"

namespace mlprof::server {

/// More are no trace of some minutes, and would be held in memory by every run.
inline constexpr std::size_t kMostArrivals = 1'000'000;

/// One arrival a row, ascending: seconds from any origin, or RFC 3339 in UTC. kInvalidArgument
/// names the first row that is neither or comes before the one above it, and says so of fewer than
/// two, of more than kMostArrivals, and of a trace in which no time passes, or more or less of it
/// than can be counted with.
Result<ArrivalTimes> ReadArrivalTimes(const Rows& rows);

/// Requests per second on average, the gap after the last counted in.
double RateOf(const ArrivalTimes& times);

/// The first of the most arrivals that lie within so many seconds of each other; of several such
/// the earliest.
std::size_t BusiestStart(const ArrivalTimes& times, double seconds);

}  // namespace mlprof::server
