#include "server/profiling/phases/warm_up.h"

#include <algorithm>
#include <span>

#include "server/analysis/first_visits.h"
#include "server/analysis/steady_state.h"
#include "server/profiling/lab/workload.h"
#include "server/profiling/phases/beside_first_visits.h"

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

// From so long a pass on, attribution's time with it, which may take half of it, rows are replayed
// as phase "rows" does while it is seen whether the model is warm. A shorter one is made several
// times there, and of quicker rows three windows hold more than a pass.
constexpr std::chrono::seconds kSlowPass{3};
constexpr int kSlowPassShare = 4;  // of the warm-up, at most

struct Part {
  Timestamp began;
  std::chrono::nanoseconds began_of_run;  // the same moment on the run's clock
  std::size_t requests = 0;
};

struct Windows {
  ReplayResult first;                             // every row once
  ReplayResult repeats;                           // from then on
  std::vector<WarmUpWindow> windows;              // of both
  std::optional<BesideFirstVisits> beside_first;  // once there are repeats
  std::vector<Part> parts;                        // the repeats, window by window
  bool as_rows = false;                           // the repeats are as phase "rows" has them
  bool steady = false;

  std::size_t requests() const { return first.requests.size() + repeats.requests.size(); }
  bool all_failed() const {
    return first.failures + repeats.failures == static_cast<std::int64_t>(requests());
  }
  std::size_t Unseen(const Workload& workload) const {
    return workload.rows_left() - std::min(workload.rows_left(), first.requests.size());
  }
  bool LacksRows(const Workload& workload) const {
    return as_rows && repeats.requests.size() < workload.rows_left();
  }
  /// What is known of a warm model; of a cold one where nothing else is.
  const ReplayResult& warm() const { return repeats.requests.empty() ? first : repeats; }
};

bool IsSlowPass(const Windows& seen, const Workload& workload, std::chrono::nanoseconds longest) {
  if (!CanAttribute(workload, longest) || seen.first.failures > 0) return false;
  std::chrono::nanoseconds rows{0};
  for (const RequestRecord& request : seen.first.requests) {
    rows += std::chrono::microseconds(request.latency_us);
  }
  const auto took = seen.first.ended - seen.first.began;
  const bool slow_rows = rows >= kAttribution * static_cast<std::int64_t>(workload.rows_left());
  return slow_rows && took >= kSlowPass && took <= longest / kSlowPassShare;
}

ReplayPlan PlanOf(const Windows& seen, const ReplayResult& last, const Workload& workload,
                  std::chrono::nanoseconds longest, std::chrono::nanoseconds left) {
  ReplayPlan plan = WindowPlan(workload, seen.requests(), left);
  if (const std::size_t unseen = seen.Unseen(workload); unseen > 0) {
    plan.max_requests = unseen;
    plan.attribute = CanAttribute(workload, longest);
  } else if (seen.as_rows) {
    plan.order = SeededOrder(workload);
    BeginAt(seen.repeats.requests.size(), plan);
    plan.attribute = true;
  } else {
    MakeWhole(last, plan);
  }
  return plan;
}

void See(const Container& container, const ReplayResult& window, bool is_first, Windows& seen) {
  Append(is_first ? seen.first : seen.repeats, window);
  if (seen.all_failed()) return;
  seen.windows.push_back(MeasureWindow(container, window));
  if (is_first) return;
  seen.parts.back().began_of_run = window.began;
  seen.parts.back().requests = window.requests.size();
  if (!seen.beside_first) seen.beside_first.emplace(container, seen.first);
  seen.beside_first->Add(seen.windows.back(), window);
  // What other work on the host does later takes nothing from it.
  seen.steady = seen.steady || IsWarm(seen.windows) || seen.beside_first->AreSteady();
}

// A model is as warm in the one as in the other.
constexpr std::size_t kFewestWindows = 2;

// The last windows that hold every row, where they tell what phase "rows" is to find out: the model
// was as warm in the first of them as in the last.
std::optional<RowPass> RowPassOf(const Windows& seen, const Workload& workload) {
  if (!seen.as_rows || !seen.steady || seen.LacksRows(workload) || seen.repeats.failures > 0) {
    return std::nullopt;
  }
  const std::size_t rows = workload.rows_left();
  std::size_t from = seen.parts.size();
  for (std::size_t held = 0; held < rows;) held += seen.parts[--from].requests;
  const auto told = seen.beside_first->told();
  const std::size_t windows = std::max(seen.parts.size() - from, kFewestWindows);
  if (told.size() < windows || !IsNoFasterInTheEnd(told.last(windows))) return std::nullopt;
  RowPass pass{seen.repeats, seen.parts[from].began};
  auto& requests = pass.replay.requests;
  requests.erase(requests.begin(), requests.end() - static_cast<std::ptrdiff_t>(rows));
  pass.replay.began = requests.front().due;
  pass.began += std::chrono::duration_cast<std::chrono::milliseconds>(
      pass.replay.began - seen.parts[from].began_of_run);
  return pass;
}

// What a few more windows may tell is not replayed in a phase of its own; so many more at most.
constexpr std::size_t kMostRowPasses = 2;

bool GoesOn(const Windows& seen, const Workload& workload) {
  if (!seen.steady || !seen.as_rows || seen.repeats.failures > 0) return !seen.steady;
  return seen.repeats.requests.size() < kMostRowPasses * workload.rows_left() &&
         !RowPassOf(seen, workload);
}

// The first visits are a part of their own. Rows that all cost the same the first time are not
// steady, unless that is what they cost when they come again.
PhaseResult<Windows> ReplayWindows(Lab& lab, Ample& ample, Workload& workload, WarmUpFor next) {
  const auto longest =
      std::min<std::chrono::nanoseconds>(kLongestWarmUp, lab.budget().For(Spend::kWarmUp));
  auto end = lab.clock().Now() + longest;
  Windows seen;
  ReplayResult last;
  while (GoesOn(seen, workload) && lab.clock().Now() < end) {
    const bool is_first = seen.Unseen(workload) > 0;
    const ReplayPlan plan = PlanOf(seen, last, workload, longest, end - lab.clock().Now());
    if (!is_first) seen.parts.push_back({Now(), lab.clock().Now(), 0});
    ReplayResult window = ample.container().Replay(plan, lab.budget().end());
    MLPROF_LET(replaced, ample.ReplaceKilled(window));
    if (replaced) {
      workload.left_out = ample.left_out();
      seen = {};
      end = lab.clock().Now() + longest;
      continue;
    }
    See(ample.container(), window, is_first, seen);
    if (auto ended = CheckTarget(lab, ample.container(), window); !ended) {
      return tl::unexpected<RunEnd>(ended.error());
    }
    if (seen.all_failed()) break;
    if (is_first && next == WarmUpFor::kRows) {
      seen.as_rows = IsSlowPass(seen, workload, longest);
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

// What was replayed before the row pass, if anything, which is a trial of its own.
ReplayResult BeforeRowPass(ReplayResult repeats, const std::optional<RowPass>& pass) {
  if (!pass) return repeats;
  const auto of_pass = static_cast<std::ptrdiff_t>(pass->replay.requests.size());
  repeats.requests.erase(repeats.requests.end() - of_pass, repeats.requests.end());
  repeats.ended = pass->replay.began;
  return repeats;
}

void KeepTrials(Lab& lab, const Container& container, const Workload& workload, Timestamp began,
                const Windows& seen, WarmUpFacts& facts) {
  const auto of = [&](Timestamp since, const ReplayResult& replay) {
    Trial trial = MakeTrial(container, workload, TrialPurpose::kWarmUp, {}, since, replay);
    trial.passed = seen.steady;
    trial.verdict = seen.steady ? "steady" : "not steady";
    return trial;
  };
  const bool has_repeats = !seen.repeats.requests.empty();
  if (has_repeats) {
    Trial cold = of(began, seen.first);
    cold.passed = true;
    cold.verdict = "every row for the first time";
    lab.Record(cold);
  }
  const Timestamp since = has_repeats ? seen.parts.front().began : began;
  facts.trial = of(since, seen.warm());
  const ReplayResult before = BeforeRowPass(seen.warm(), facts.row_pass);
  if (!before.requests.empty()) lab.Record(of(since, before));
}

}  // namespace

PhaseResult<WarmUpFacts> WarmUp(Lab& lab, Ample& ample, Workload workload, WarmUpFor next) {
  const Timestamp began = Now();
  MLPROF_LET(seen, ReplayWindows(lab, ample, workload, next));
  const Container& container = ample.container();
  WarmUpFacts facts;
  facts.steady = seen.steady;
  facts.first_visits = seen.first.requests;
  facts.first_pass = {seen.first.began, seen.first.ended, std::ssize(seen.first.requests)};
  facts.serial = seen.warm().requests;
  facts.cache = SeeCache(seen);
  facts.row_pass = RowPassOf(seen, workload);
  KeepTrials(lab, container, workload, began, seen, facts);
  ReplayResult all = seen.first;
  Append(all, seen.repeats);
  MLPROF_LET(failed, CheckRows(container, workload.objective, all));
  facts.failed = failed;
  // A model rests while its rows are attributed: the mean says less than they use.
  const double rested = seen.as_rows ? lab.ceiling().cpu().value() : 0;
  facts.need = SeeNeed(container, workload, seen.warm(), facts.trial, facts.serial, rested);
  facts.need.noisy = lab.host().noisy();
  return facts;
}

}  // namespace mlprof::server::phases
