// What bench-truth-replay is told on its command line; replay.cc says what each option means.
#pragma once

#include <chrono>
#include <string>

#include "tests/benchmarks/truth/http_connection.h"
#include "tests/benchmarks/truth/load.h"

namespace truth {

struct ReplayOptions {
  Endpoint endpoint;
  Load load;
  bool keep_alive = true;
  bool per_request = false;
  bool first_visits = false;
  int together = 0;
  int warm_passes = 1;
  bool steady = false;
  std::chrono::duration<double> warm_longest{10};
  std::string ready_path = "/";
  std::chrono::seconds ready_within{60};
  std::string rows_file;
  std::string pid;
};

/// Prints the usage and exits with 2 where it cannot be understood.
ReplayOptions ParseReplayOptions(int argc, char** argv);

}  // namespace truth
