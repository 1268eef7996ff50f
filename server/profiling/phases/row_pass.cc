#include "server/profiling/phases/row_pass.h"

#include <algorithm>

#include "server/analysis/heavy_rows.h"
#include "server/analysis/payload_cost.h"
#include "server/profiling/phases/answer.h"
#include "server/profiling/phases/plans.h"
#include "server/profiling/phases/replays.h"
#include "server/profiling/phases/row_kills.h"
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
  const auto& seen = context.observed.serial_requests;
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

// Takes the killer and all before it out of the order, and what was answered from the killer on,
// which tells of the death and not of the rows, out of the record.
void ForgetFrom(std::uint32_t killer, ReplayPlan& plan, ReplayResult& all) {
  const auto at = std::find(plan.order.begin(), plan.order.end(), killer);
  if (at != plan.order.end()) plan.order.erase(plan.order.begin(), at + 1);
  const auto broken = std::find_if(all.requests.begin(), all.requests.end(),
                                   [&](const auto& request) { return request.row == killer; });
  all.requests.erase(broken, all.requests.end());
  all.failures = std::count_if(all.requests.begin(), all.requests.end(),
                               [](const auto& request) { return !request.Succeeded(); });
  if (all.failures == 0) all.first_failure.reset();
  all.target_lost = false;
}

// Every row once, going on with the rest where a row ends the model.
PhaseResult<ReplayResult> FirstPass(RunContext& context, std::unique_ptr<RunningModel>& model,
                                    ReplayPlan plan) {
  ReplayResult all;
  plan.ends_at_kill = true;
  const auto until = context.clock.Now() + plan.max_time.value_or(std::chrono::nanoseconds{0});
  while (!plan.order.empty()) {
    plan.max_requests = plan.order.size();
    plan.max_time = std::max(std::chrono::nanoseconds{0}, until - context.clock.Now());
    const ReplayResult part = model->Replay(plan, context.budget());
    Append(all, part);
    const auto replaced = ReplaceKilled(context, model, part);
    if (!replaced) return tl::unexpected<RunEnd>(replaced.error());
    if (!*replaced) break;
    ForgetFrom(*context.observed.last_row, plan, all);
  }
  return all;
}

// What is said of the rows one by one.
void KeepRows(RunContext& context, const ReplayResult& all) {
  std::vector<RowRecord> records = MakeRowRecords(context.rows, all);
  context.recorder.Record(records);
  std::erase_if(records, [&](const RowRecord& record) {
    return context.left_out.contains(static_cast<std::uint32_t>(record.row));
  });
  context.observed.distinct_rows = std::ssize(records);
  context.observed.heavy_rows = HeavyRows(records);
  context.observed.cpu_seconds_per_query = MeanCpuSeconds(all);
  context.profile().findings.heavy_rows = NameHeavyRows(records);
  context.profile().findings.payload = FitPayloadCost(records);
}

PhaseResult<ReplayResult> ReplayRows(RunContext& context, std::unique_ptr<RunningModel>& model) {
  ReplayPlan plan;
  plan.order = SeededOrder(context);
  plan.attribute = true;
  plan.max_requests = plan.order.size();
  const double share = AllFit(context) ? kBudgetForRows : kBudgetForSample;
  plan.max_time = std::min(context.BudgetShare(share), context.budget().Left());
  auto all = FirstPass(context, model, plan);
  if (!all) return all;
  if (auto ended = CheckTarget(context, *model, *all); !ended) {
    return tl::unexpected<RunEnd>(ended.error());
  }
  const std::size_t replayed = all->requests.size() + context.left_out.size();
  const auto pass = all->ended - all->began;
  if (replayed < context.rows.size()) {
    WarnSampled(context, all->requests.size());
  } else if (pass * (kPasses - 1) < kRepeatWithin) {
    plan.order = SeededOrder(context);
    plan.max_requests = plan.order.size() * (kPasses - 1);
    const ReplayResult more = model->Replay(plan, context.budget());
    if (auto ended = CheckTarget(context, *model, more); !ended) {
      return tl::unexpected<RunEnd>(ended.error());
    }
    Append(*all, more);
  }
  return all;
}

}  // namespace

PhaseResult<void> RowPass(RunContext& context, std::unique_ptr<RunningModel>& model) {
  context.recorder.EnterPhase(kRows, "replaying every row");
  const Timestamp began = Now();
  const auto all = ReplayRows(context, model);
  if (!all) return tl::unexpected<RunEnd>(all.error());
  NoteSerial(context, *all);
  NoteServing(context, *all);
  KeepRows(context, *all);
  Trial trial = MakeTrial(context, *model, TrialPurpose::kRows, {}, began, *all);
  trial.passed = all->failures == 0;
  trial.verdict = std::to_string(context.observed.distinct_rows) + " rows, " +
                  std::to_string(all->failures) + " failed requests";
  context.recorder.Record(trial, all->SuccessLatencies());
  if (auto ended = CheckRows(context, *model, *all); !ended) return ended;
  AnswerSoFar(context, *model, *all, trial);
  context.recorder.FinishPhase("done");
  return {};
}

}  // namespace mlprof::phases
