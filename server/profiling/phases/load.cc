#include "server/profiling/phases/load.h"

#include <algorithm>

#include "server/analysis/latency.h"
#include "server/analysis/resource_use.h"
#include "server/profiling/lab/workload.h"

namespace mlprof::server::phases {
namespace {

constexpr std::chrono::seconds kLoadTime{10};  // a hundred CFS periods; chosen, not measured
// If a hundredth of the rows left later than both of these (milliseconds, and a share of the median
// latency), the replay could not keep the rate, and the figures tell of it rather than of the
// model.
constexpr double kLeastLagMs = 1;
constexpr double kLagOfLatency = 0.05;

std::optional<double> LateMs(const Trial& trial) {
  if (!trial.send_lag_p99_ms) return std::nullopt;
  const double most =
      std::max(kLeastLagMs, kLagOfLatency * trial.measurements.latency_p50_ms.value_or(0));
  if (*trial.send_lag_p99_ms <= most) return std::nullopt;
  return trial.send_lag_p99_ms;
}

Reference ReferenceOf(const ReplayPlan& plan, const ReplayResult& replay) {
  Reference reference = WithLook({}, LookAt(plan, replay));
  reference.mean_ms = LatencyDistribution::ByRow(CountedVisits(plan, replay)).MeanMs();
  for (const RequestRecord& request : replay.requests) {
    if (!request.Succeeded()) reference.failing_rows.insert(request.row);
  }
  reference.error_share =
      static_cast<double>(replay.failures) / static_cast<double>(replay.requests.size());
  return reference;
}

// The cores that other work took, on a host that is noisy by it; 0 on a quiet one.
double OtherCores(const NoiseEvidence& noise, bool noisy) {
  return noisy ? noise.foreign_cores + noise.steal_share * noise.host_cores : 0;
}

}  // namespace

PhaseResult<LoadFacts> MeasureLoad(Lab& lab, Container& container, const Workload& workload,
                                   std::vector<RequestRecord> serial) {
  const Timestamp began = Now();
  const auto watch = container.WatchHost();
  const auto longest = lab.budget().For(Spend::kLoad);
  const ReplayPlan plan = ObjectivePlan(workload, container.seed(),
                                        {std::min<std::chrono::nanoseconds>(kLoadTime, longest),
                                         RequestsToSee(workload.objective), longest});
  const ReplayResult replay = container.Replay(plan, lab.budget().end());
  const NoiseEvidence noise = watch.End(Summarize(container.SamplesOf(replay)));
  if (auto ended = CheckWhole(lab, container, replay); !ended) {
    return tl::unexpected<RunEnd>(ended.error());
  }
  LoadFacts facts;
  MLPROF_LET(failed, CheckRows(container, workload.objective, replay));
  facts.failed = failed;
  const bool noisy = lab.host().Judge(noise).noisy;
  facts.reference = ReferenceOf(plan, replay);
  facts.trial = MakeTrial(container, workload, TrialPurpose::kLoad, plan, began, replay);
  facts.trial.passed = true;
  facts.trial.verdict = "the reference without a CPU limit below the ceiling";
  lab.Record(facts.trial);
  facts.late_ms = LateMs(facts.trial);
  if (!plan.open_loop && plan.concurrency == 1) {
    serial.insert(serial.end(), replay.requests.begin(), replay.requests.end());
  }

  const ReplayResult burst = container.Replay(
      HeavyPlan(workload, std::min<std::chrono::nanoseconds>(kLongestBurst, longest)),
      lab.budget().end());
  facts.slowest_ms = std::max(SlowestMs(replay), SlowestMs(burst));
  if (auto ended = CheckWhole(lab, container, burst); !ended) {
    return tl::unexpected<RunEnd>(ended.error());
  }
  facts.need = SeeNeed(container, workload, replay, facts.trial, serial, OtherCores(noise, noisy));
  facts.need.noisy = lab.host().noisy();
  return facts;
}

}  // namespace mlprof::server::phases
