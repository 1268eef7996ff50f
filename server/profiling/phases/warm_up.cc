#include "server/profiling/phases/warm_up.h"

#include <algorithm>
#include <array>
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

enum class Part { kFirst, kRowPass, kRepeats };

struct Windows {
  ReplayResult first;     // every row once
  ReplayResult row_pass;  // every row again, attributed, where there is to be such a pass
  ReplayResult repeats;   // from then on
  Timestamp row_pass_began;
  Timestamp repeats_began;
  std::vector<WarmUpWindow> windows;              // of all
  std::optional<BesideFirstVisits> beside_first;  // once there are others
  bool wants_row_pass = false;
  bool steady = false;

  ReplayResult& Of(Part part) {
    return part == Part::kFirst ? first : part == Part::kRowPass ? row_pass : repeats;
  }
  std::array<const ReplayResult*, 3> parts() const { return {&first, &row_pass, &repeats}; }
  std::size_t requests() const {
    return first.requests.size() + row_pass.requests.size() + repeats.requests.size();
  }
  bool all_failed() const {
    return first.failures + row_pass.failures + repeats.failures ==
           static_cast<std::int64_t>(requests());
  }
  /// How many rows it lacks yet.
  std::size_t Unseen(Part part, const Workload& workload) const {
    const std::size_t seen =
        part == Part::kFirst ? first.requests.size() : row_pass.requests.size();
    return workload.rows_left() - std::min(workload.rows_left(), seen);
  }
  Part Next(const Workload& workload) const {
    if (Unseen(Part::kFirst, workload) > 0) return Part::kFirst;
    const bool pass = wants_row_pass && Unseen(Part::kRowPass, workload) > 0;
    return pass ? Part::kRowPass : Part::kRepeats;
  }
  /// What is known of a warm model; of a cold one where nothing else is.
  ReplayResult Warm() const {
    ReplayResult warm = row_pass;
    Append(warm, repeats);
    return warm.requests.empty() ? first : warm;
  }
};

// Rows that take so long together are replayed as phase "rows" does, while it is seen whether the
// model is warm: a pass over them is a window of its own three times over. Quicker ones are
// replayed several times there.
constexpr std::chrono::seconds kSlowPass{3};
constexpr int kSlowPassShare = 4;  // of the warm-up, at most

bool IsSlowPass(const Windows& seen, const Workload& workload, std::chrono::nanoseconds longest) {
  const auto took = seen.first.ended - seen.first.began;
  return CanAttribute(workload, longest) && seen.first.failures == 0 && took >= kSlowPass &&
         took <= longest / kSlowPassShare;
}

ReplayPlan PlanOf(Part part, const Windows& seen, const ReplayResult& last,
                  const Workload& workload, std::chrono::nanoseconds longest,
                  std::chrono::nanoseconds left) {
  ReplayPlan plan = WindowPlan(workload, seen.requests(), left);
  if (part == Part::kRepeats) {
    MakeWhole(last, plan);
    return plan;
  }
  const std::size_t unseen = seen.Unseen(part, workload);
  plan.max_requests = unseen;
  plan.attribute = CanAttribute(workload, longest);
  if (part == Part::kRowPass) {
    plan.order = SeededOrder(workload);
    BeginAt(seen.row_pass.requests.size(), plan);
    // A few rows are no window.
    if (unseen < 2 * kWindowRequests) plan.min_requests = unseen;
  }
  return plan;
}

void SeeWindow(const Container& container, const ReplayResult& window, Part part, Windows& seen) {
  seen.windows.push_back(MeasureWindow(container, window));
  if (part == Part::kFirst) return;
  if (!seen.beside_first) seen.beside_first.emplace(container, seen.first);
  seen.beside_first->Add(seen.windows.back(), window);
  seen.steady = IsWarm(seen.windows) || seen.beside_first->AreSteady();
}

// Whether it tells what phase "rows" is to find out: the model was as warm as it is now.
bool RowPassTells(const Windows& seen, const Workload& workload) {
  return seen.wants_row_pass && seen.steady && seen.Unseen(Part::kRowPass, workload) == 0 &&
         seen.row_pass.failures == 0 && IsNotBecomingFaster(seen.beside_first->told());
}

// The first visits are a part of their own. Rows that all cost the same the first time are not
// steady, unless that is what they cost when they come again.
PhaseResult<Windows> ReplayWindows(Lab& lab, Ample& ample, Workload& workload) {
  const auto longest =
      std::min<std::chrono::nanoseconds>(kLongestWarmUp, lab.budget().For(Spend::kWarmUp));
  auto end = lab.clock().Now() + longest;
  Windows seen;
  ReplayResult last;
  const auto goes_on = [&] { return !seen.steady || seen.Next(workload) == Part::kRowPass; };
  while (goes_on() && lab.clock().Now() < end) {
    const Part part = seen.Next(workload);
    const ReplayPlan plan = PlanOf(part, seen, last, workload, longest, end - lab.clock().Now());
    ReplayResult window = ample.container().Replay(plan, lab.budget().end());
    MLPROF_LET(replaced, ample.ReplaceKilled(window));
    if (replaced) {
      workload.left_out = ample.left_out();
      seen = {};
      end = lab.clock().Now() + longest;
      continue;
    }
    Append(seen.Of(part), window);
    if (auto ended = CheckTarget(lab, ample.container(), window); !ended) {
      return tl::unexpected<RunEnd>(ended.error());
    }
    if (seen.all_failed()) break;
    SeeWindow(ample.container(), window, part, seen);
    if (part == Part::kFirst) {
      seen.row_pass_began = Now();
      seen.wants_row_pass = IsSlowPass(seen, workload, longest);
    }
    if (part != Part::kRepeats) seen.repeats_began = Now();
    last = std::move(window);
    lab.Progressed(std::min(1.0, static_cast<double>(seen.windows.size()) / kUsualWindows),
                   "warming up, " + std::to_string(seen.requests()) + " requests");
  }
  seen.steady = seen.steady || IsWarm(seen.windows);  // the rows may be too many for a whole pass
  return seen;
}

std::optional<ResponseCache> SeeCache(const Windows& seen) {
  std::vector<VisitCost> visits;
  for (const ReplayResult* part : seen.parts()) {
    for (const RequestRecord& request : part->requests) {
      if (!request.Succeeded()) continue;
      VisitCost visit{request.row, request.latency_us / 1000.0};
      if (request.cpu_us) visit.cpu_ms = *request.cpu_us / 1000.0;
      visits.push_back(visit);
    }
  }
  return RecognizeResponseCache(visits);
}

// What is told of the warm-up itself: not the row pass where that is a trial of its own.
void KeepTrials(Lab& lab, const Container& container, const Workload& workload, Timestamp began,
                const Windows& seen, WarmUpFacts& facts) {
  const auto of = [&](Timestamp since, const ReplayResult& replay) {
    return MakeTrial(container, workload, TrialPurpose::kWarmUp, {}, since, replay);
  };
  const bool cold_alone = seen.row_pass.requests.empty() && seen.repeats.requests.empty();
  if (!cold_alone) {
    Trial cold = of(began, seen.first);
    cold.passed = true;
    cold.verdict = "every row for the first time";
    lab.Record(cold);
  }
  const bool of_repeats = facts.row_pass && !seen.repeats.requests.empty();
  const Timestamp since = cold_alone   ? began
                          : of_repeats ? seen.repeats_began
                                       : seen.row_pass_began;
  facts.trial = of(since, of_repeats ? seen.repeats : seen.Warm());
  facts.trial.passed = seen.steady;
  facts.trial.verdict = seen.steady ? "steady" : "not steady";
  if (!facts.row_pass || of_repeats) lab.Record(facts.trial);
}

}  // namespace

PhaseResult<WarmUpFacts> WarmUp(Lab& lab, Ample& ample, Workload workload) {
  const Timestamp began = Now();
  MLPROF_LET(seen, ReplayWindows(lab, ample, workload));
  const Container& container = ample.container();
  WarmUpFacts facts;
  facts.steady = seen.steady;
  facts.first_visits = seen.first.requests;
  facts.first_pass = {seen.first.began, seen.first.ended, std::ssize(seen.first.requests)};
  const ReplayResult warm = seen.Warm();
  facts.serial = warm.requests;
  facts.cache = SeeCache(seen);
  if (RowPassTells(seen, workload)) {
    facts.row_pass = RowPass{seen.row_pass, seen.row_pass_began};
  }
  KeepTrials(lab, container, workload, began, seen, facts);
  ReplayResult all;
  for (const ReplayResult* part : seen.parts()) {
    if (!part->requests.empty()) Append(all, *part);
  }
  MLPROF_LET(failed, CheckRows(container, workload.objective, all));
  facts.failed = failed;
  facts.need = SeeNeed(container, workload, warm, facts.trial, facts.serial);
  facts.need.noisy = lab.host().noisy();
  return facts;
}

}  // namespace mlprof::server::phases
