// A finished profile of a made-up model whose behaviour under any load is known: every figure comes
// from the same simulation, and none of the model's parts is told.
#pragma once

#include <vector>

#include "common/domain/profile.h"
#include "common/domain/trial.h"
#include "server/analysis/what_if/quota_queue.h"

namespace mlprof::server {

struct MadeUpModel {
  std::vector<RowWork> rows = {{20, 5}};
  ServerShape server{4, 1, 4};
  Cores ceiling = Cores(4.0);
};

struct MadeUpProfile {
  Profile profile;
  std::vector<Trial> trials;
  std::vector<RowRecord> rows;
};

inline Measurements MeasurementsOf(const QueueOutcome& outcome, Cores cpu) {
  Measurements run;
  run.measured_at = {cpu, MiB(512)};
  run.total_queries = run.success_queries = static_cast<std::int64_t>(outcome.latencies.count());
  FillLatencies(outcome.latencies, run);
  run.queries_per_second = outcome.requests_per_second;
  run.cpu_seconds_per_query = outcome.cores / outcome.requests_per_second;
  return run;
}

inline Trial TrialOf(TrialPurpose purpose, const QueueOutcome& outcome, Cores cpu,
                     int concurrency) {
  Trial trial;
  trial.purpose = purpose;
  trial.limits = {cpu, MiB(512)};
  trial.concurrency = concurrency;
  trial.passed = true;
  trial.measurements = MeasurementsOf(outcome, cpu);
  return trial;
}

inline CpuPoint CpuPointOf(const QueueOutcome& outcome, Cores cpu) {
  CpuPoint point;
  point.cpu = cpu;
  point.mean_ms = outcome.latencies.MeanMs().value_or(0);
  point.p50_ms = outcome.latencies.QuantileMs(0.50).value_or(0);
  point.p95_ms = outcome.latencies.QuantileMs(0.95).value_or(0);
  point.p99_ms = outcome.latencies.QuantileMs(0.99).value_or(0);
  return point;
}

// A serial profile: load curve up to 8 in flight, probes at 5 limits, 512 MiB verified.
inline MadeUpProfile ProfileOf(const MadeUpModel& model) {
  MadeUpProfile made;
  Profile& profile = made.profile;
  profile.request.ceiling = {model.ceiling, GiB(4)};
  const auto run = [&](Cores cpu, int concurrency) {
    return SimulateClosedLoop(model.rows, model.server, cpu, concurrency, 400);
  };
  made.trials.push_back(TrialOf(TrialPurpose::kLoad, run(model.ceiling, 1), model.ceiling, 1));
  profile.findings.load.emplace();
  for (int concurrency = 1; concurrency <= 8; concurrency *= 2) {
    const QueueOutcome outcome = run(model.ceiling, concurrency);
    LoadLevel level;
    level.concurrency = concurrency;
    level.requests_per_second = outcome.requests_per_second;
    level.cores = outcome.cores;
    profile.findings.load->levels.push_back(level);
  }
  CpuCurve& curve = profile.findings.cpu.emplace();
  for (const double cores : {0.2, 0.5, 1.0, 2.0, 4.0}) {
    curve.points.push_back(CpuPointOf(run(Cores(cores), 1), Cores(cores)));
  }
  for (std::size_t i = 0; i < 30; ++i) {
    const RowWork& work = model.rows[i % model.rows.size()];
    RowRecord row;
    row.row = static_cast<std::int64_t>(i);
    row.status = 200;
    row.cpu_ms = work.cpu_ms;
    row.latency_ms = work.wait_ms + work.cpu_ms / model.server.parallelism;
    made.rows.push_back(row);
  }
  MemoryFindings& memory = profile.findings.memory.emplace();
  memory.trend = MemoryTrend::kFlat;
  memory.serving_peak = MiB(440);
  memory.per_concurrent_request = MiB(20);
  Recommendation& answer = profile.recommendation.emplace();
  answer.requested = {Cores(0.9), MiB(512)};
  answer.verified = true;
  answer.tight = true;
  answer.confidence = Confidence::kHigh;
  answer.Set({MiB(448), MiB(560), ""});
  answer.environment_variables = {{"OMP_NUM_THREADS", "1"}};
  profile.measurements = MeasurementsOf(run(Cores(0.9), 1), Cores(0.9));
  return made;
}

}  // namespace mlprof::server
