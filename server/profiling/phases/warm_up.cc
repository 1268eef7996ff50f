#include "server/profiling/phases/warm_up.h"

#include <algorithm>
#include <span>

#include "server/analysis/first_visits.h"
#include "server/analysis/steady_state.h"
#include "server/profiling/phases/warm_up_windows.h"

namespace mlprof::server::phases {
namespace {

// A window of both: a second of fast rows, 50 slow ones (as many as Triton's Perf Analyzer counts).
constexpr std::chrono::seconds kWarmUpWindow{1};
constexpr std::size_t kWindowRequests = 50;
constexpr std::chrono::seconds kLongestWarmUp{60};  // chosen, not measured
// For the progress alone: so many windows are what most models take.
constexpr double kUsualWindows = 5;

// Attribution holds each response until the model rests: 5 ms, and the readings (agent/relay). Rows
// are attributed from the first visit on where that takes no more than this share of the time.
constexpr std::chrono::milliseconds kAttribution{8};
constexpr int kAttributionShare = 4;

// As rows come one at a time; 0 where none was answered.
double RequestsPerSecond(const ReplayResult& serial) {
  double milliseconds = 0;
  for (const RequestRecord& request : serial.requests) milliseconds += request.latency_us / 1000.0;
  return milliseconds > 0 ? 1000 * static_cast<double>(serial.requests.size()) / milliseconds : 0;
}

// Through all rows equally often, where they are few enough for a window, at the pace of the last
// one.
void MakeWhole(const ReplayResult& last, ReplayPlan& plan) {
  plan.max_requests = WholePasses(plan.order.size(), kWindowRequests, RequestsPerSecond(last));
  if (plan.max_requests) plan.max_time = plan.hard_max_time;
}

// In the dataset's order, going on where the window before ended.
ReplayPlan WindowPlan(const Workload& workload, std::size_t first_row,
                      std::chrono::nanoseconds left) {
  ReplayPlan plan;
  for (std::uint32_t row = 0; row < workload.rows; ++row) {
    if (!workload.left_out.contains(row)) plan.order.push_back(row);
  }
  BeginAt(first_row, plan);
  plan.ends_at_kill = true;
  plan.max_time = kWarmUpWindow;
  plan.min_requests = std::min(kWindowRequests, workload.rows);
  plan.hard_max_time = left;
  return plan;
}

bool CanAttribute(const Workload& workload, std::chrono::nanoseconds longest) {
  return kAttribution * static_cast<std::int64_t>(workload.rows) <= longest / kAttributionShare;
}

bool IsWarm(std::span<const WarmUpWindow> windows) {
  return IsSteady(windows) || IsNoFasterAnyMore(windows);
}

// The very first request may pay for what the process does once.
ReplayResult WithoutTheVeryFirst(ReplayResult first) {
  if (first.requests.size() < 2) return first;
  first.requests.erase(first.requests.begin());
  first.began = first.requests.front().due;
  return first;
}

// Windows of other rows each differ although the model does not: here each is told by what its rows
// took when they came first. A model that became warmer meanwhile took longer then, and is judged
// by the windows as they are.
class BesideFirstVisits {
 public:
  BesideFirstVisits(const Container& container, const ReplayResult& first)
      : windows_(VisitsOf(first.requests)),
        first_(windows_.Told(MeasureWindow(container, first), first)) {}

  void Add(const WarmUpWindow& measured, const ReplayResult& window) {
    windows_.Add(measured, window);
  }
  bool AreSteady() const {
    const auto told = windows_.told();
    if (!first_ || !IsSteady(told)) return false;
    const auto last = told.last(kWindowsThatAgree);
    return std::all_of(last.begin(), last.end(),
                       [this](const WarmUpWindow& window) { return IsAsWarm(*first_, window); });
  }

 private:
  WindowsByRow windows_;  // since all rows were visited
  std::optional<WarmUpWindow> first_;
};

struct Windows {
  ReplayResult first;    // every row once
  ReplayResult repeats;  // from then on
  Timestamp repeats_began;
  std::vector<WarmUpWindow> windows;              // of both
  std::optional<BesideFirstVisits> beside_first;  // once there are repeats
  bool steady = false;

  std::size_t requests() const { return first.requests.size() + repeats.requests.size(); }
  bool all_failed() const {
    return first.failures + repeats.failures == static_cast<std::int64_t>(requests());
  }
  /// What is known of a warm model; of a cold one where nothing else is.
  const ReplayResult& warm() const { return repeats.requests.empty() ? first : repeats; }
};

// The first visits are a part of their own. Rows that all cost the same the first time are not
// steady, unless that is what they cost when they come again.
PhaseResult<Windows> ReplayWindows(Lab& lab, Ample& ample, Workload& workload) {
  const auto longest =
      std::min<std::chrono::nanoseconds>(kLongestWarmUp, lab.budget().For(Spend::kWarmUp));
  auto end = lab.clock().Now() + longest;
  Windows seen;
  ReplayResult last;
  while (!seen.steady && lab.clock().Now() < end) {
    const std::size_t unseen =
        workload.rows_left() - std::min(workload.rows_left(), seen.first.requests.size());
    ReplayPlan plan = WindowPlan(workload, seen.requests(), end - lab.clock().Now());
    if (unseen > 0) {
      plan.max_requests = unseen;
      plan.attribute = CanAttribute(workload, longest);
    } else {
      MakeWhole(last, plan);
    }
    ReplayResult window = ample.container().Replay(plan, lab.budget().end());
    MLPROF_LET(replaced, ample.ReplaceKilled(window));
    if (replaced) {
      workload.left_out = ample.left_out();
      seen = {};
      end = lab.clock().Now() + longest;
      continue;
    }
    Append(unseen > 0 ? seen.first : seen.repeats, window);
    if (auto ended = CheckTarget(lab, ample.container(), window); !ended) {
      return tl::unexpected<RunEnd>(ended.error());
    }
    if (seen.all_failed()) break;
    seen.windows.push_back(MeasureWindow(ample.container(), window));
    if (unseen > 0) {
      seen.repeats_began = Now();
    } else {
      if (!seen.beside_first) {
        seen.beside_first.emplace(ample.container(), WithoutTheVeryFirst(seen.first));
      }
      seen.beside_first->Add(seen.windows.back(), window);
      seen.steady = IsWarm(seen.windows) || seen.beside_first->AreSteady();
    }
    last = std::move(window);
    lab.Progressed(std::min(1.0, static_cast<double>(seen.windows.size()) / kUsualWindows),
                   "warming up, " + std::to_string(seen.requests()) + " requests");
  }
  seen.steady = seen.steady || IsWarm(seen.windows);  // the rows may be too many for a whole pass
  return seen;
}

std::optional<ResponseCache> SeeCache(const Windows& seen) {
  std::vector<VisitCost> visits;
  for (const ReplayResult* part : {&seen.first, &seen.repeats}) {
    for (const RequestRecord& request : part->requests) {
      if (!request.Succeeded()) continue;
      VisitCost visit{request.row, request.latency_us / 1000.0};
      if (request.cpu_us) visit.cpu_ms = *request.cpu_us / 1000.0;
      visits.push_back(visit);
    }
  }
  return RecognizeResponseCache(visits);
}

}  // namespace

PhaseResult<WarmUpFacts> WarmUp(Lab& lab, Ample& ample, Workload workload) {
  const Timestamp began = Now();
  MLPROF_LET(seen, ReplayWindows(lab, ample, workload));
  Container& container = ample.container();
  WarmUpFacts facts;
  facts.steady = seen.steady;
  facts.first_visits = seen.first.requests;
  facts.first_pass = {seen.first.began, seen.first.ended, std::ssize(seen.first.requests)};
  facts.serial = seen.warm().requests;
  facts.cache = SeeCache(seen);
  if (!seen.repeats.requests.empty()) {
    Trial cold = MakeTrial(container, workload, TrialPurpose::kWarmUp, {}, began, seen.first);
    cold.passed = true;
    cold.verdict = "every row for the first time";
    lab.Record(cold);
  }
  facts.trial = MakeTrial(container, workload, TrialPurpose::kWarmUp, {},
                          seen.repeats.requests.empty() ? began : seen.repeats_began, seen.warm());
  facts.trial.passed = seen.steady;
  facts.trial.verdict = seen.steady ? "steady" : "not steady";
  lab.Record(facts.trial);
  ReplayResult all = seen.first;
  Append(all, seen.repeats);
  MLPROF_LET(failed, CheckRows(container, workload.objective, all));
  facts.failed = failed;
  facts.need = SeeNeed(container, workload, seen.warm(), facts.trial, facts.serial);
  facts.need.noisy = lab.host().noisy();
  return facts;
}

}  // namespace mlprof::server::phases
