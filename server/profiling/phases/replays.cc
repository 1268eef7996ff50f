#include "server/profiling/phases/replays.h"

#include <algorithm>

#include "server/analysis/latency.h"
#include "server/analysis/resource_use.h"
#include "server/profiling/phases/row_records.h"

namespace mlprof::server::phases {
namespace {

RowFailureEvidence FailureEvidence(const ReplayResult& replay) {
  RowFailureEvidence evidence;
  evidence.requests = std::ssize(replay.requests);
  evidence.failures = replay.failures;
  if (const auto& first = replay.first_failure) {
    evidence.first_row = first->row;
    evidence.first_status = first->http_status;
    if (first->failure != agent_protocol::RowFailure::kNone) {
      evidence.first_failure = std::string(agent_protocol::Name(first->failure));
    }
    evidence.first_body = first->body;
  }
  return evidence;
}

// What a response takes. A failure tells nothing of it: where rows failed, those that were measured
// one by one count, and without any the responses bear all of the time.
std::optional<double> CpuSecondsPerQuery(const Workload& workload, const ReplayResult& replay,
                                         const ResourceUse& use) {
  const std::int64_t successes = std::ssize(replay.requests) - replay.failures;
  if (successes <= 0) return std::nullopt;
  if (replay.failures > 0) {
    if (const auto mean = MeanCpuSeconds(replay.requests)) return mean;
    if (workload.cpu_seconds_per_query) return workload.cpu_seconds_per_query;
  }
  if (!use.cpu_seconds) return std::nullopt;
  return *use.cpu_seconds / static_cast<double>(successes);
}

void AddUse(const ResourceUse& use, Measurements& measurements) {
  measurements.max_utilized_cpu = use.max_cores;
  measurements.serving_peak_memory = use.peak_unreclaimable;
  measurements.cache_memory = use.peak_cache;
  measurements.throttled_share = use.throttled_share;
}

double Seconds(std::chrono::nanoseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

std::optional<double> SendLagP99Ms(const ReplayResult& replay) {
  std::vector<std::uint32_t> lags;
  for (const RequestRecord& request : replay.requests) lags.push_back(request.lag_us);
  return LatencyDistribution(std::move(lags)).QuantileMs(0.99);
}

ProfileError DiagnoseLoss(Container& container, const ReplayResult& replay) {
  ProfileError error = DiagnoseDeath(container.Death());
  if (const auto row = replay.LastRowTaken()) {
    error.message += "; the last row it took was " + std::to_string(*row);
  }
  return error;
}

}  // namespace

void Append(ReplayResult& all, const ReplayResult& part) {
  if (all.requests.empty()) all.began = part.began;
  all.ended = std::max(all.ended, part.ended);
  all.requests.insert(all.requests.end(), part.requests.begin(), part.requests.end());
  all.failures += part.failures;
  all.late += part.late;
  all.last_due = std::max(all.last_due, part.last_due);
  all.unsent += part.unsent;
  if (!all.first_failure) all.first_failure = part.first_failure;
  if (part.last_sent) all.last_sent = part.last_sent;
  all.target_lost = all.target_lost || part.target_lost;
  all.stopped = all.stopped || part.stopped;
  all.cut_off = all.cut_off || part.cut_off;
}

double SlowestMs(const ReplayResult& replay) {
  double slowest = 0;
  for (const RequestRecord& request : replay.requests) {
    slowest = std::max(slowest, request.latency_us / 1000.0);
  }
  return slowest;
}

std::optional<ServedRate> RateOf(const ReplayPlan& plan, const ReplayResult& replay,
                                 double usual_ms) {
  if (!plan.open_loop || replay.requests.empty()) return std::nullopt;
  const bool cut_short = replay.unsent > 0 && plan.max_time;
  const double scheduled = Seconds(cut_short ? *plan.max_time : replay.last_due - replay.began);
  if (scheduled <= 0) return std::nullopt;
  const double took = std::max(scheduled, replay.Seconds() - 2 * usual_ms / 1000);
  const auto responses = static_cast<double>(replay.requests.size());
  // A failure was served too: how many there may be is another rule's.
  return ServedRate{(responses + static_cast<double>(replay.unsent)) / scheduled, responses / took};
}

void SetRate(const std::optional<ServedRate>& rate, VerificationEvidence& evidence) {
  if (!rate) return;
  evidence.scheduled_rate = rate->offered;
  evidence.measured_rate = rate->served;
}

PhaseResult<void> CheckTarget(Lab& lab, Container& container, const ReplayResult& replay) {
  if (replay.stopped || lab.stopped()) return Canceled();
  if (replay.target_lost) return FailRun(DiagnoseLoss(container, replay));
  if (replay.requests.empty() && lab.budget().Passed()) {
    return TimedOut("the budget was used up before a row was answered");
  }
  return {};
}

PhaseResult<void> CheckWhole(Lab& lab, Container& container, const ReplayResult& replay) {
  if (auto ended = CheckTarget(lab, container, replay); !ended) return ended;
  if (container.OomKills() > 0) return FailRun(DiagnoseDeath(container.Death()));
  return {};
}

namespace {

constexpr int kServerError = 500;

ProfileError DiagnoseFailures(const Container& container, const ReplayResult& replay) {
  RowFailureEvidence evidence = FailureEvidence(replay);
  evidence.disk_full = container.MetDiskBound(evidence.first_body);
  evidence.memory_limit = container.limits().memory();
  // Many servers answer with nothing, and write why.
  if (evidence.first_status == kServerError) evidence.log_tail = container.LogTail();
  return DiagnoseRows(evidence);
}

}  // namespace

RunEnd RowsFailed(const Container& container, const ReplayResult& replay) {
  return {ProfileState::kFailed, DiagnoseFailures(container, replay)};
}

PhaseResult<std::optional<FailedRows>> CheckRows(const Container& container,
                                                 const Objective& objective,
                                                 const ReplayResult& replay) {
  if (replay.requests.empty()) return TimedOut("the budget was used up before a row was answered");
  if (replay.failures == 0) return std::nullopt;
  const ProfileError error = DiagnoseFailures(container, replay);
  if (replay.failures == std::ssize(replay.requests)) return FailRun(error);
  const double share =
      static_cast<double>(replay.failures) / static_cast<double>(replay.requests.size());
  if (share <= objective.max_error_rate) return std::nullopt;
  return FailedRows{error.message + "\n" + error.evidence, error.advice[0]};
}

Trial MakeTrial(const Container& container, const Workload& workload, TrialPurpose purpose,
                const ReplayPlan& plan, Timestamp began, const ReplayResult& replay) {
  Trial trial;
  trial.purpose = purpose;
  trial.limits = container.limits();
  trial.concurrency = plan.open_loop ? 0 : plan.concurrency;
  if (plan.open_loop) {
    trial.requests_per_second = plan.open_loop->requests_per_second;
    trial.send_lag_p99_ms = SendLagP99Ms(replay);
  }
  trial.environment = container.environment();
  trial.started = began;
  trial.seconds = replay.Seconds();
  Measurements& measurements = trial.measurements;
  measurements.measured_at = container.limits();
  measurements.total_queries = std::ssize(replay.requests);
  measurements.success_queries = std::ssize(replay.requests) - replay.failures;
  FillLatencies(LatencyDistribution::ByRow(CountedVisits(plan, replay)), measurements);
  if (trial.seconds > 0) {
    measurements.queries_per_second =
        static_cast<double>(measurements.success_queries) / trial.seconds;
  }
  const ResourceUse use = Summarize(container.SamplesOf(replay));
  AddUse(use, measurements);
  measurements.cpu_seconds_per_query = CpuSecondsPerQuery(workload, replay, use);
  measurements.rows_replayed = workload.distinct_rows;
  return trial;
}

}  // namespace mlprof::server::phases
