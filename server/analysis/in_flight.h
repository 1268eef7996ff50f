// How many requests of a rate are in the server at once. Pure.
#pragma once

#include "common/domain/objective.h"

namespace mlprof::server {

/// No more are told, however slow the answers: as many connections as an agent opens.
inline constexpr int kMostRequestsInFlight = 1024;

/// The requests in flight as an arrival meets them, itself counted, that all but one arrival in
/// 10,000 do not exceed; `seconds_each` is the mean time that a request stays. Those before it that
/// are still there arrived within that time: for independent gaps their number N has
/// P(N >= n) = P(n gaps end within it), of gamma gaps (k = 1/cv², exponential ones have k = 1) the
/// regularised incomplete gamma function P(n k, k rate time); of a trace they are counted. Requests
/// that wait for each other scatter more than that: what a load was seen to have at once is another
/// bound.
int InFlightAtMost(double rate, const Arrivals& arrivals, double seconds_each);

}  // namespace mlprof::server
