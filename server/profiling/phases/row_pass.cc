#include "server/profiling/phases/row_pass.h"

#include <algorithm>

#include "server/profiling/phases/replays.h"
#include "server/profiling/phases/row_records.h"
#include "server/profiling/phases/shares.h"

namespace mlprof::phases {
namespace {

constexpr double kBudgetForRows = 0.5;
constexpr std::size_t kPasses = 3;
// A pass over few rows is repeated for better medians, a long one is not.
constexpr std::chrono::seconds kRepeatWithin{10};

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
  plan.attribute_cpu = true;
  plan.max_requests = context.rows.size();
  plan.max_time = std::min(context.BudgetShare(kBudgetForRows), context.budget().Left());
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
  context.findings.cpu_seconds_per_query = MeanCpuSeconds(all);
  context.findings.unhindered_cores = UnhinderedCores(all);
  context.recorder.Record(records);
  Trial trial = MakeTrial(context, model, TrialPurpose::kRows, 1, began, all);
  trial.passed = all.failures == 0;
  trial.verdict = std::to_string(records.size()) + " rows, " + std::to_string(all.failures) +
                  " failed requests";
  context.recorder.Record(trial, all.SuccessLatencies());
  if (auto ended = CheckRows(context, all); !ended) return ended;
  context.recorder.FinishPhase("done");
  return {};
}

}  // namespace mlprof::phases
