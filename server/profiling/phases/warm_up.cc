#include "server/profiling/phases/warm_up.h"

#include <algorithm>

#include "server/analysis/latency.h"
#include "server/analysis/resource_use.h"
#include "server/analysis/steady_state.h"

namespace mlprof::server::phases {
namespace {

// A window of both: a second of fast rows, 50 slow ones (as many as Triton's Perf Analyzer counts).
constexpr std::chrono::seconds kWarmUpWindow{1};
constexpr std::size_t kWindowRequests = 50;
constexpr std::chrono::seconds kLongestWarmUp{60};  // chosen, not measured
// For the progress alone: so many windows are what most models take.
constexpr double kUsualWindows = 5;

// In the dataset's order, going on where the window before ended.
ReplayPlan WindowPlan(const Workload& workload, std::size_t first_row,
                      std::chrono::nanoseconds left) {
  ReplayPlan plan;
  for (std::uint32_t row = 0; row < workload.rows; ++row) {
    if (!workload.left_out.contains(row)) plan.order.push_back(row);
  }
  std::rotate(plan.order.begin(),
              plan.order.begin() + static_cast<std::ptrdiff_t>(first_row % plan.order.size()),
              plan.order.end());
  plan.ends_at_kill = true;
  plan.max_time = kWarmUpWindow;
  plan.min_requests = std::min(kWindowRequests, workload.rows);
  plan.hard_max_time = left;
  return plan;
}

WarmUpWindow Measure(const Container& container, const ReplayResult& replay) {
  const ResourceUse use = Summarize(container.SamplesOf(replay));
  const auto requests = static_cast<double>(std::max<std::size_t>(1, replay.requests.size()));
  return {LatencyDistribution(replay.SuccessLatencies()).QuantileMs(0.5).value_or(0),
          use.cpu_seconds.value_or(0) * 1000 / requests};
}

struct Windows {
  ReplayResult all;
  std::vector<WarmUpWindow> windows;
  bool steady = false;
};

// Rows of different sizes make short windows differ: a whole pass is seen before steadiness counts.
PhaseResult<Windows> ReplayWindows(Lab& lab, Ample& ample, Workload& workload) {
  const auto longest =
      std::min<std::chrono::nanoseconds>(kLongestWarmUp, lab.budget().For(Spend::kWarmUp));
  auto end = lab.clock().Now() + longest;
  Windows seen;
  while (!seen.steady && lab.clock().Now() < end) {
    const ReplayResult window = ample.container().Replay(
        WindowPlan(workload, seen.all.requests.size(), end - lab.clock().Now()),
        lab.budget().end());
    MLPROF_LET(replaced, ample.ReplaceKilled(window));
    if (replaced) {
      workload.left_out = ample.left_out();
      seen = {};
      end = lab.clock().Now() + longest;
      continue;
    }
    Append(seen.all, window);
    if (auto ended = CheckTarget(lab, ample.container(), window); !ended) {
      return tl::unexpected<RunEnd>(ended.error());
    }
    const auto requests = std::ssize(seen.all.requests);
    if (requests == 0 || seen.all.failures == requests) break;
    seen.windows.push_back(Measure(ample.container(), window));
    seen.steady = IsSteady(seen.windows) && seen.all.requests.size() >= workload.rows;
    lab.Progressed(std::min(1.0, static_cast<double>(seen.windows.size()) / kUsualWindows),
                   "warming up, " + std::to_string(requests) + " requests");
  }
  seen.steady = IsSteady(seen.windows);  // the rows may be too many for a whole pass
  return seen;
}

}  // namespace

PhaseResult<WarmUpFacts> WarmUp(Lab& lab, Ample& ample, Workload workload) {
  const Timestamp began = Now();
  MLPROF_LET(seen, ReplayWindows(lab, ample, workload));
  Container& container = ample.container();
  WarmUpFacts facts;
  facts.steady = seen.steady;
  facts.serial = seen.all.requests;
  facts.trial = MakeTrial(container, workload, TrialPurpose::kWarmUp, {}, began, seen.all);
  facts.trial.passed = seen.steady;
  facts.trial.verdict = seen.steady ? "steady" : "not steady";
  lab.Record(facts.trial);
  MLPROF_LET(failed, CheckRows(container, workload.objective, seen.all));
  facts.failed = failed;
  facts.need = SeeNeed(container, workload, seen.all, facts.trial, facts.serial);
  facts.need.noisy = lab.host().noisy();
  return facts;
}

}  // namespace mlprof::server::phases
