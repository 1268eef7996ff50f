#include "server/profiling/phases/replays.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "server/analysis/latency.h"
#include "server/analysis/resource_use.h"
#include "server/profiling/phases/row_records.h"

namespace mlprof::phases {
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

void AddUse(const ResourceUse& use, std::int64_t requests, Measurements& measurements) {
  measurements.max_utilized_cpu = use.max_cores;
  measurements.serving_peak_memory = use.peak_unreclaimable;
  measurements.cache_memory = use.peak_cache;
  measurements.throttled_share = use.throttled_share;
  if (use.cpu_seconds && requests > 0) {
    measurements.cpu_seconds_per_query = *use.cpu_seconds / static_cast<double>(requests);
  }
}

ProfileError DiagnoseLoss(RunningModel& model, const ReplayResult& replay) {
  ProfileError error = DiagnoseDeath(model.Death());
  if (const auto row = replay.LastRowTaken()) {
    error.message += "; the last row it took was " + std::to_string(*row);
  }
  return error;
}

}  // namespace

std::vector<std::uint32_t> SeededOrder(const RunContext& context) {
  std::vector<std::uint32_t> order(context.rows.size());
  std::iota(order.begin(), order.end(), 0U);
  std::mt19937_64 random(context.recorder.profile().request.seed);
  std::shuffle(order.begin(), order.end(), random);
  return order;
}

void Append(ReplayResult& all, const ReplayResult& part) {
  if (all.requests.empty()) all.began = part.began;
  all.ended = std::max(all.ended, part.ended);
  all.requests.insert(all.requests.end(), part.requests.begin(), part.requests.end());
  all.failures += part.failures;
  if (!all.first_failure) all.first_failure = part.first_failure;
  all.target_lost = all.target_lost || part.target_lost;
  all.stopped = all.stopped || part.stopped;
}

void NoteSerial(RunContext& context, const ReplayResult& replay) {
  auto& serial = context.findings.serial_requests;
  serial.insert(serial.end(), replay.requests.begin(), replay.requests.end());
}

PhaseResult<void> CheckTarget(RunContext& context, RunningModel& model,
                              const ReplayResult& replay) {
  if (replay.stopped || context.stop.stop_requested()) return Canceled();
  if (replay.target_lost) return FailRun(DiagnoseLoss(model, replay));
  if (replay.requests.empty() && context.budget().Passed()) {
    return TimedOut("the budget was used up before a row was answered");
  }
  if (const Status& status = context.recorder.status(); !status) {
    return FailRun({"StorageFailed",
                    "the results could not be written: " + status.error().message(),
                    {"make room in the server's data directory, then try again"},
                    ""});
  }
  return {};
}

PhaseResult<void> CheckRows(RunContext& context, const ReplayResult& replay) {
  if (replay.requests.empty()) return TimedOut("the budget was used up before a row was answered");
  if (replay.failures == 0) return {};
  const ProfileError error = DiagnoseRows(FailureEvidence(replay));
  if (replay.failures == std::ssize(replay.requests)) return FailRun(error);
  const double share =
      static_cast<double>(replay.failures) / static_cast<double>(replay.requests.size());
  if (share > context.objective().max_error_rate) {
    context.recorder.Warn({"rowsFailed", error.message + "\n" + error.evidence, error.advice[0]});
  }
  return {};
}

Trial MakeTrial(RunContext& context, const RunningModel& model, TrialPurpose purpose,
                int concurrency, Timestamp began, const ReplayResult& replay) {
  Trial trial;
  trial.purpose = purpose;
  trial.limits = model.limits();
  trial.concurrency = concurrency;
  trial.started = began;
  trial.seconds = replay.Seconds();
  Measurements& measurements = trial.measurements;
  measurements.measured_at = model.limits();
  measurements.total_queries = std::ssize(replay.requests);
  measurements.success_queries = std::ssize(replay.requests) - replay.failures;
  FillLatencies(LatencyDistribution(replay.SuccessLatencies()), measurements);
  if (trial.seconds > 0) {
    measurements.queries_per_second =
        static_cast<double>(measurements.success_queries) / trial.seconds;
  }
  AddUse(Summarize(model.SamplesOf(replay)), measurements.total_queries, measurements);
  measurements.rows_replayed = context.findings.distinct_rows;
  return trial;
}

void AnswerSoFar(RunContext& context, RunningModel& model, const ReplayResult& replay,
                 const Trial& trial, double other_cores) {
  const ResourceUse use = Summarize(model.SamplesOf(replay));
  const int objective = context.objective().ConcurrencyOrOne();
  const double serial = UnhinderedCores(context.findings.serial_requests).value_or(0);
  double cores = use.mean_cores.value_or(0) + use.agent_cores;
  if (trial.concurrency == 1) cores = std::max(cores, serial);
  // At most, for rows that were sent one at a time.
  if (trial.concurrency < objective) cores *= objective;
  if (trial.concurrency > 1) {
    cores = std::max(cores, std::min(cores + other_cores, serial * trial.concurrency));
  }
  MeasuredNeed& need = context.findings.need;
  need.cores = cores;
  need.agent_memory = std::max(need.agent_memory, use.peak_agent_memory);
  // Rows before these count as serving too: the largest may have come only there.
  need.serving_peak = Summarize(model.session().Samples()).peak_unreclaimable.value_or(Bytes());
  context.profile().measurements = trial.measurements;
  context.recorder.Answer(Recommend(FirstAnswer(need, context.ceiling), need, context.ceiling, {}));
}

}  // namespace mlprof::phases
