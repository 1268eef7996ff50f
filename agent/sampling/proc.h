// What /proc says: the agent's own cost and the host's CPU pressure.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "agent/sampling/kept_file.h"
#include "common/units/bytes.h"

namespace mlprof::agent {

/// CPU time of this process, all threads, to the nanosecond.
std::chrono::nanoseconds OwnCpuTime();

/// "some avg10=1.23 avg60=…" → 1.23, percent.
std::optional<double> ParsePressure(std::string_view text);
/// "some avg10=… total=1234\n…" → 1234 µs: the time some task stood still so far.
std::optional<std::chrono::nanoseconds> ParseStallTime(std::string_view text);
/// /proc/self/statm → resident minus file-backed pages.
Bytes ParseAnonymous(std::string_view statm, long page_size);

class ProcReader {
 public:
  /// `proc` is "/proc" but for tests.
  explicit ProcReader(const std::string& proc = "/proc");
  Bytes OwnMemory() const;
  /// Absent where the kernel keeps no pressure figures.
  std::optional<double> HostCpuPressure() const;

 private:
  KeptFile statm_;
  KeptFile pressure_;
};

}  // namespace mlprof::agent
