// One reading of the model's container, taken by the agent (100 a second by default).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "common/units/bytes.h"

namespace mlprof {

/// Counters run from the container's start; the agent's own share is already taken out of
/// `cpu_time` and `unreclaimable`.
struct Sample {
  std::chrono::nanoseconds at{0};  // CLOCK_MONOTONIC; the same clock as the controller's
  std::chrono::nanoseconds cpu_time{0};
  std::int64_t periods = 0;            // CFS enforcement periods so far
  std::int64_t throttled_periods = 0;  // of them, throttled
  std::chrono::nanoseconds throttled_time{0};
  Bytes usage;                 // memory.current / usage_in_bytes
  Bytes unreclaimable;         // what cannot be given back: anonymous, shmem, kernel…
  Bytes cache;                 // file pages
  std::int64_t processes = 0;  // tasks: threads count too, the agent's one does not
  /// The largest `unreclaimable` of any moment since the reading before this one that carries it,
  /// from the kernel's own high-water marks: a spike between two samples is in it. Absent where it
  /// was not read.
  std::optional<Bytes> peak_unreclaimable;
  Bytes mapped_file;  // of `cache`, what processes have mapped
  /// What one process has mapped of files beyond `mapped_file`: pages that another cgroup read
  /// first and is charged for. Read with `peak_unreclaimable`; a moment old on either side.
  std::optional<Bytes> uncharged_file;
  std::int64_t file_refaults = 0;  // file pages read again soon after they were evicted
  std::int64_t major_faults = 0;
  /// Time some task stood waiting for memory (PSI, cgroup v2 only).
  std::optional<std::chrono::nanoseconds> memory_stall;
  /// Time the threads stood ready to run and waited for a core or for their quota;
  /// only in the samples at which it was read (twice a second).
  std::optional<std::chrono::nanoseconds> run_queue_wait;
  std::int64_t oom_kills = 0;
  std::optional<double> host_cpu_pressure;  // PSI some avg10 of the host, percent
  /// Open loop: the most that a row left behind its schedule, of those answered since the sample
  /// before.
  std::optional<std::chrono::nanoseconds> send_lag;
  std::chrono::nanoseconds agent_cpu_time{0};
  Bytes agent_memory;
};

}  // namespace mlprof
