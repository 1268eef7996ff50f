// What is done inside the container's network, where the target listens on loopback alone.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace mlprof::server::bench {

inline constexpr int kTargetPort = 8080;

struct WrkFigures {
  double requests = 0;
  double seconds = 0;
  double failures = 0;
  double p50_us = 0;
  double p99_us = 0;
  double cpu_seconds = 0;  // wrk's own
};

/// Runs `wrk` with one thread and `connections` in the network of process `pid`, POSTing `body`.
/// Throws std::runtime_error.
WrkFigures RunWrk(int pid, int connections, std::chrono::seconds time, const std::string& body);

/// The sleeping target's own record of its service times since the last question.
struct TargetTimes {
  double count = 0;
  double p50_us = 0;
  double p99_us = 0;
};
/// Throws std::runtime_error.
TargetTimes AskTargetTimes(int pid);

}  // namespace mlprof::server::bench
