// What is known of a running profile right now, out of its events. Pure.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "client/include/mlprof/follow.h"

namespace mlprof::client::cli {

struct LiveFigures {
  std::string state;
  std::string phase;
  std::string message;
  double fraction = 0;  // 0 to 1
  std::optional<std::chrono::steady_clock::time_point> expected_end;
  std::optional<double> requests;
  std::optional<double> p95_ms;
  std::optional<double> cpu_cores;
  std::optional<double> memory_bytes;

  /// Takes in an update; true where it began a new phase, or waits for something else than before.
  bool Take(const ProfileUpdate& update, std::chrono::steady_clock::time_point now);
  /// "120 requests, p95 12 ms, 0.35 cores, 300 MiB"; "" before anything was measured.
  std::string Live() const;
};

/// The text of a `log` event; "" for others.
std::string LogText(const ProfileUpdate& update);

}  // namespace mlprof::client::cli
