#include "server/profiling/phases/warm_up.h"

#include <algorithm>

#include "server/analysis/latency.h"
#include "server/analysis/resource_use.h"
#include "server/analysis/steady_state.h"
#include "server/profiling/phases/answer.h"
#include "server/profiling/phases/replays.h"
#include "server/profiling/phases/row_kills.h"
#include "server/profiling/phases/shares.h"

namespace mlprof::phases {
namespace {

constexpr std::chrono::seconds kWindow{1};
constexpr std::size_t kWindowRequests = 50;
constexpr std::chrono::seconds kLongest{60};
constexpr double kBudgetForWarmUp = 0.2;

ReplayPlan WindowPlan(const RunContext& context, std::size_t first_row, Deadline end) {
  ReplayPlan plan;
  for (std::uint32_t row = 0; row < context.rows.size(); ++row) {
    if (!context.left_out.contains(row)) plan.order.push_back(row);
  }
  std::rotate(plan.order.begin(),
              plan.order.begin() + static_cast<std::ptrdiff_t>(first_row % plan.order.size()),
              plan.order.end());
  plan.ends_at_kill = true;
  plan.max_time = kWindow;
  plan.min_requests = std::min(kWindowRequests, context.rows.size());
  plan.hard_max_time = end.Left();
  return plan;
}

WarmUpWindow Measure(const RunningModel& model, const ReplayResult& replay) {
  const ResourceUse use = Summarize(model.SamplesOf(replay));
  const auto requests = static_cast<double>(std::max<std::size_t>(1, replay.requests.size()));
  return {LatencyDistribution(replay.SuccessLatencies()).QuantileMs(0.5).value_or(0),
          use.cpu_seconds.value_or(0) * 1000 / requests};
}

void WarnNotSteady(RunContext& context) {
  context.recorder.Warn({"notSteady",
                         "latency or CPU per request still changed when the warm-up ended",
                         "allow a longer budget with --budget-seconds"});
}

}  // namespace

PhaseResult<void> WarmUp(RunContext& context, std::unique_ptr<RunningModel>& model) {
  context.recorder.EnterPhase(kWarmUp, "warming up");
  const Timestamp began = Now();
  const auto longest =
      std::min<std::chrono::nanoseconds>(kLongest, context.BudgetShare(kBudgetForWarmUp));
  Deadline end = Deadline::After(longest);
  std::vector<WarmUpWindow> windows;
  ReplayResult all;
  bool steady = false;
  // Rows of different sizes make short windows differ: a whole pass is seen before steadiness
  // counts.
  while (!steady && !end.Passed()) {
    const ReplayResult window =
        model->Replay(WindowPlan(context, all.requests.size(), end), context.budget());
    const auto replaced = ReplaceKilled(context, model, window);
    if (!replaced) return tl::unexpected<RunEnd>(replaced.error());
    if (*replaced) {
      all = {};
      windows.clear();
      end = Deadline::After(longest);
      continue;
    }
    Append(all, window);
    NoteServing(context, window);
    if (auto ended = CheckTarget(context, *model, window); !ended) return ended;
    if (all.requests.empty() || all.failures == std::ssize(all.requests)) break;
    windows.push_back(Measure(*model, window));
    steady = IsSteady(windows) && all.requests.size() >= context.rows.size();
    context.recorder.Progressed(std::min(1.0, static_cast<double>(windows.size()) / 5),
                                "warming up, " + std::to_string(all.requests.size()) + " requests");
  }
  NoteSerial(context, all);
  steady = IsSteady(windows);  // the rows may be too many for a whole pass
  if (!steady) WarnNotSteady(context);
  Trial trial = MakeTrial(context, *model, TrialPurpose::kWarmUp, {}, began, all);
  trial.passed = steady;
  trial.verdict = steady ? "steady" : "not steady";
  context.recorder.Record(trial, all.SuccessLatencies());
  if (auto ended = CheckRows(context, *model, all); !ended) return ended;
  AnswerSoFar(context, *model, all, trial);
  context.recorder.FinishPhase(steady ? "done" : "not steady");
  return {};
}

}  // namespace mlprof::phases
