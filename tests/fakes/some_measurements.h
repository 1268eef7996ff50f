// What a profile of a small model measured, for tests of how it is told.
#pragma once

#include "common/domain/measurements.h"

namespace mlprof::fakes {

inline Measurements SomeMeasurements() {
  Measurements measured;
  measured.measured_at = {Cores(0.4), MiB(512)};
  measured.max_utilized_cpu = 0.38;
  measured.max_utilized_memory = MiB(430);
  measured.total_queries = 500;
  measured.success_queries = 500;
  measured.average_latency_ms = 13.25;
  measured.latency_p50_ms = 12;
  measured.latency_p95_ms = 21.4;
  measured.queries_per_second = 38.2;
  measured.start_seconds = 2.1;
  measured.rows_replayed = 120;
  return measured;
}

}  // namespace mlprof::fakes
