#include "server/profiling/phases/row_pass.h"

#include <algorithm>

#include "server/profiling/phases/replays.h"
#include "server/profiling/phases/row_records.h"
#include "server/profiling/phases/shares.h"

namespace mlprof::phases {
namespace {

constexpr double kBudgetForRows = 0.5;
// Where all rows do not fit: what is saved on them is the verification's.
constexpr double kBudgetForSample = 0.2;
constexpr double kDoubt = 0.8;
constexpr std::size_t kPasses = 3;
// A pass over few rows is repeated for better medians, a long one is not.
constexpr std::chrono::seconds kRepeatWithin{10};

// Judged by the rows of the warm-up; in doubt they do.
bool AllFit(RunContext& context) {
  const auto& seen = context.findings.serial_requests;
  if (seen.empty()) return true;
  double sum_us = 0;
  for (const RequestRecord& request : seen) sum_us += request.latency_us;
  const double pass_ns =
      1000 * sum_us / static_cast<double>(seen.size()) * static_cast<double>(context.rows.size());
  return pass_ns * kDoubt <= static_cast<double>(context.BudgetShare(kBudgetForRows).count());
}

void WarnSampled(RunContext& context, std::size_t replayed) {
  context.recorder.Warn(
      {"rowsSampled",
       std::to_string(replayed) + " of " + std::to_string(context.rows.size()) +
           " rows were replayed, drawn at random; the others did not fit half of the budget",
       "allow a longer budget with --budget-seconds"});
}

}  // namespace

PhaseResult<void> RowPass(RunContext& context, RunningModel& model) {
  context.recorder.EnterPhase(kRows, "replaying every row");
  const Timestamp began = Now();
  ReplayPlan plan;
  plan.order = SeededOrder(context);
  plan.attribute = true;
  plan.max_requests = context.rows.size();
  const double share = AllFit(context) ? kBudgetForRows : kBudgetForSample;
  plan.max_time = std::min(context.BudgetShare(share), context.budget().Left());
  ReplayResult all = model.Replay(plan, context.budget());
  if (auto ended = CheckTarget(context, model, all); !ended) return ended;
  if (all.requests.size() < context.rows.size()) {
    WarnSampled(context, all.requests.size());
  } else if (const auto pass = all.ended - all.began; pass * (kPasses - 1) < kRepeatWithin) {
    plan.max_requests = context.rows.size() * (kPasses - 1);
    const ReplayResult more = model.Replay(plan, context.budget());
    if (auto ended = CheckTarget(context, model, more); !ended) return ended;
    Append(all, more);
  }
  const std::vector<RowRecord> records = MakeRowRecords(context.rows, all);
  context.findings.distinct_rows = std::ssize(records);
  context.findings.heavy_rows = HeavyRows(records);
  context.findings.cpu_seconds_per_query = MeanCpuSeconds(all);
  NoteSerial(context, all);
  context.recorder.Record(records);
  Trial trial = MakeTrial(context, model, TrialPurpose::kRows, 1, began, all);
  trial.passed = all.failures == 0;
  trial.verdict = std::to_string(records.size()) + " rows, " + std::to_string(all.failures) +
                  " failed requests";
  context.recorder.Record(trial, all.SuccessLatencies());
  if (auto ended = CheckRows(context, all); !ended) return ended;
  AnswerSoFar(context, model, all, trial);
  context.recorder.FinishPhase("done");
  return {};
}

}  // namespace mlprof::phases
