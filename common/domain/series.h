// Readings of one kind over time, as they are stored and shown.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace mlprof {

struct SeriesPoint {
  std::chrono::nanoseconds at{0};  // since the run began; while it is read, on the run's clock
  double value = 0;                // finite
  bool operator==(const SeriesPoint&) const = default;
};

struct Series {
  std::string name;                 // lowerCamelCase; within a profile of one source alone
  std::string unit;                 // "bytes", "cores", "share" (of 1), "percent"…; "": not told
  std::string source;               // what read it: "agent", "replay"…; "": not told
  std::vector<SeriesPoint> points;  // in order of time
};

}  // namespace mlprof
