// Rows sent to a server in whole passes, closed loop or at a rate.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/benchmarks/truth/http_connection.h"

namespace truth {

struct Load {
  int concurrency = 1;
  double rate = 0;   // requests per second, Poisson arrivals; 0: closed loop
  int passes = 1;    // at least
  int requests = 0;  // at least
  /// A closed loop ends with a whole pass, so that every row weighs the same in its percentiles.
  bool whole_passes = true;
  bool fresh_connections = false;            // one for each request, else one for each in flight
  bool distinct = false;                     // no request has the body of another, ever
  std::chrono::duration<double> seconds{0};  // at least
  std::chrono::duration<double> longest{60};
  bool stop_at_failure = false;
  /// Ends once so many responses took longer that the p95 can hardly come below it; 0: never.
  std::chrono::duration<double> hopeless{0};
  std::uint32_t seed = 1;
};

struct Outcome {
  std::vector<std::chrono::nanoseconds>
      latencies;  // of responses 2xx; a rate's: from when it was due
  std::int64_t failures = 0;
  std::string first_failure;
  bool gave_up = false;  // it was hopeless
  std::chrono::duration<double> took{0};
};

/// Each pass sends every row once, in an order of its own. Returns when the load is done, `longest`
/// has passed, or at the first failure where that is asked for.
Outcome Replay(const Endpoint& endpoint, const std::vector<std::string>& rows, const Load& load);

}  // namespace truth
