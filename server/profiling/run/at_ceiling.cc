// The part of a run that one container at the ceiling serves.
#include "server/profiling/run/story.h"

#include <algorithm>

#include "server/analysis/beside_reference.h"
#include "server/analysis/cpu_curve.h"
#include "server/analysis/row_order.h"
#include "server/profiling/run/measured_need.h"

namespace mlprof::server {
namespace {

using phases::CpuChoice;

// As long as the curves take that wait for it. Chosen, not measured.
constexpr double kQuickRenewalSeconds = 5;

// The whole curve: what was measured beyond the knee was judged beside all cores, and does not hold
// less for being left out of the search. As fast as with the knee's is enough for it.
CpuChoice WithPointsBeyond(CpuChoice choice, const std::vector<CpuPoint>& all, Cores knee) {
  std::vector<CpuPoint> points = choice.curve.points;
  const auto& at_knee = choice.reference.p95_ms;
  for (CpuPoint point : all) {
    if (point.cpu <= knee) continue;
    point.passed = point.passed || (at_knee && point.p95_ms <= kReferenceTolerance * *at_knee);
    points.push_back(point);
  }
  choice.curve = FitCpuCurve(std::move(points));
  return choice;
}

}  // namespace

using namespace phases;  // NOLINT(google-build-using-namespace): this is their story

PhaseResult<ResourceUse> Story::MeasureAtCeiling(Lab& lab, Ample& ample, Workload& workload) {
  Enter(shares::kColdStarts, "starting the model");
  MLPROF_LET(starts, ColdStarts(lab, ample));
  facts_.starts = std::move(starts);
  facts_.starts->cpu = lab.ceiling().cpu();
  facts_.starts->least_cpu = LeastCpuToStart(
      *facts_.starts, facts_.objective, lab.subject().config.start_timeout, lab.ceiling().cpu());
  See(ample);
  Finish(lab, "done");

  Enter(shares::kWarmUp, "warming up");
  MLPROF_LET(warm_up, WarmUp(lab, ample, workload, WarmUpFor::kRows));
  facts_.warm_up = std::move(warm_up);
  workload.left_out = ample.left_out();
  See(ample);
  Finish(lab, facts_.warm_up->steady ? "done" : "not steady");

  Enter(shares::kRows, "replaying every row");
  MLPROF_LET(row_pass, ReplayRows(lab, ample, workload, *facts_.warm_up));
  facts_.row_pass = std::move(row_pass);
  workload.left_out = ample.left_out();
  See(ample);
  workload.heavy = facts_.row_pass->heavy;
  workload.distinct_rows = facts_.row_pass->distinct;
  workload.cpu_seconds_per_query = facts_.row_pass->cpu_seconds_per_query;
  const std::vector<Visit> serial = VisitsOf(facts_.row_pass->serial);
  workload.by_latency = RowsByLatency(serial);
  workload.row_times = RowTimes::Of(serial, workload.cpu_seconds_per_query.value_or(0));
  workload.grows_with_inputs = facts_.row_pass->growth.has_value();
  Finish(lab, "done");
  return MeasureUnderLoad(lab, ample, workload);
}

void Story::Resolve(Workload& workload) {
  if (!workload.objective.connections) {
    workload.objective.connections = ConnectionsFor(facts_.workers);
  }
  facts_.objective = workload.objective;
  profile_.request.objective = workload.objective;
}

PhaseResult<ResourceUse> Story::MeasureUnderLoad(Lab& lab, Ample& ample, Workload& workload) {
  Enter(shares::kLoad, "measuring under the objective's load");
  MLPROF_LET(workers, ReachAtCeiling(lab, ample.container(), workload));
  facts_.workers = workers;
  if (workers) workload.workers = workers->coverage.count;
  Resolve(workload);
  MLPROF_LET(load, MeasureLoad(lab, ample.container(), workload, facts_.row_pass->serial));
  facts_.load = std::move(load);
  See(*facts_.load, workload);
  facts_.load->reference = LookAtFresh(lab, ample.container(), workload, facts_.load->reference);
  Finish(lab, "done");

  Enter(shares::kPlateau, "waiting for memory to settle");
  MLPROF_LET(plateau, WatchMemory(lab, ample.container(), workload));
  facts_.plateau = plateau;
  Finish(lab, plateau.settled ? "settled" : "not settled");
  const ResourceUse use = Summarize(ample.container().Samples());
  if (facts_.warm_up->cache) {
    // Every row was seen here: what limits and more load do to it is of the cache alone.
    const Reference& reference = facts_.load->reference;
    facts_.cpu = ChooseForDistinctRows(NeedOf(facts_), lab.ceiling(), reference);
    facts_.reference = reference;
    return use;
  }
  if (plateau.outgrows && MayRenew()) {
    if (auto renewed = Renew(lab, ample, workload); !renewed) {
      return tl::unexpected<RunEnd>(renewed.error());
    }
  }
  if (auto searched = SearchUnderLoad(lab, ample.container(), workload); !searched) {
    return tl::unexpected<RunEnd>(searched.error());
  }
  return use;
}

PhaseResult<void> Story::Renew(Lab& lab, Ample& ample, const Workload& workload) {
  if (auto renewed = ample.Renew(); !renewed) return renewed;
  const auto warm = WarmUp(lab, ample, workload, WarmUpFor::kLoad);
  if (!warm) return tl::unexpected<RunEnd>(warm.error());
  if (!facts_.workers) return {};
  const auto workers = ReachAtCeiling(lab, ample.container(), workload);
  return workers ? PhaseResult<void>() : tl::unexpected<RunEnd>(workers.error());
}

bool Story::MayLoadAgain() const {
  return budget_.Left() > budget_.For(Spend::kLoad) + budget_.For(Spend::kCpuSearch);
}

bool Story::MayRenew() const {
  const double start =
      *std::max_element(facts_.starts->seconds.begin(), facts_.starts->seconds.end());
  const auto took = std::chrono::nanoseconds(static_cast<std::int64_t>(start * 1e9));
  return budget_.ChargeOf(took) < budget_.For(Spend::kCpuSearch);
}

PhaseResult<void> Story::SearchUnderLoad(Lab& lab, Container& container, Workload& workload) {
  if (!facts_.host.host.limits_hold) return {};
  Enter(shares::kSearchCpu, "searching the CPU limit");
  MLPROF_LET(cpu, SearchCpu(lab, container, workload, *facts_.load, NeedOf(facts_)));
  facts_.cpu = std::move(cpu);
  curves_wait_ = CurvesMayWait(workload);
  if (!curves_wait_) {
    if (auto filled = FillCurve(lab, container, workload, facts_.cpu->reference); !filled) {
      return filled;
    }
    if (auto kept = KeepToKnee(lab, container, workload); !kept) return kept;
  }
  See(*facts_.cpu, workload);
  facts_.reference = facts_.cpu->reference;
  // What was settled has served much more by now: a faint leak needs that to be seen.
  if (facts_.plateau->settled) {
    MLPROF_LET(plateau, WatchMemory(lab, container, workload));
    facts_.plateau = plateau;
  }
  Finish(lab, "done");
  if (curves_wait_) return {};

  Enter(shares::kLoadCurve, "measuring with more rows in flight");
  if (auto measured = LoadMore(lab, container, workload); !measured) return measured;
  facts_.reference = facts_.curve->reference;
  Finish(lab, "done");
  return {};
}

bool Story::CurvesMayWait(const Workload& workload) const {
  // What one row more in flight takes is part of a rate's answer, and the knee is found on the
  // curve.
  const bool asked_for =
      workload.objective.requests_per_second.has_value() || facts_.cpu->cpu > kKneeFrom;
  if (asked_for || !budget_.MostIsLeft()) return false;
  const FirstPass first_pass = FirstPassOf(*facts_.warm_up, *facts_.row_pass, workload.rows_left());
  const double again = facts_.starts->seconds.back() +
                       (facts_.workers ? facts_.workers->seconds : 0) +
                       (first_pass.matters ? first_pass.seconds : 0);
  return again < kQuickRenewalSeconds;
}

PhaseResult<void> Story::FillCurve(Lab& lab, Container& container, const Workload& workload,
                                   const Reference& reference) {
  CpuChoice found = *facts_.cpu;
  found.reference = reference;
  MLPROF_LET(curve, FillCpuCurve(lab, container, workload, *facts_.load, NeedOf(facts_), found));
  facts_.cpu->curve = std::move(curve);
  return {};
}

PhaseResult<void> Story::LoadMore(Lab& lab, Container& container, const Workload& workload) {
  MLPROF_LET(curve, MeasureLoadCurve(lab, container, workload, facts_.reference,
                                     std::max(facts_.row_pass->slowest_ms, facts_.load->slowest_ms),
                                     facts_.replay));
  facts_.curve = std::move(curve);
  return {};
}

PhaseResult<void> Story::KeepToKnee(Lab& lab, Container& container, Workload& workload) {
  const Objective& objective = workload.objective;
  if (objective.requests_per_second || !objective.latency_ms.empty()) return {};
  const CpuChoice all = *facts_.cpu;
  // A start that must be soon may take more cores than serving pays for.
  const Cores least = facts_.starts->least_cpu;
  const auto knee = all.cpu > least ? KneeBelow(all.curve, all.cpu, least) : std::nullopt;
  if (!knee || !MayLoadAgain() || !container.SetCpu(*knee)) return {};
  lab.LowerCeiling(*knee);
  MLPROF_LET(load, MeasureLoad(lab, container, workload, facts_.row_pass->serial));
  facts_.knee = CpuKnee{*knee, all.cpu, MeanMsAt(all.curve, all.cpu).value_or(0)};
  facts_.host.ceiling.Set(*knee);
  facts_.load = std::move(load);
  See(*facts_.load, workload);
  facts_.load->reference = LookAtFresh(lab, container, workload, facts_.load->reference);
  MLPROF_LET(cpu, SearchCpu(lab, container, workload, *facts_.load, NeedOf(facts_)));
  facts_.cpu = std::move(cpu);
  if (auto filled = FillCurve(lab, container, workload, facts_.cpu->reference); !filled) {
    return filled;
  }
  facts_.cpu = WithPointsBeyond(*std::move(facts_.cpu), all.curve.points, *knee);
  return {};
}

void Story::SeeGrowth(const Ample& ample, PhaseResult<ResourceUse>& measured) {
  if (measured || !measured.error().error) return;
  ProfileError& error = *measured.error().error;
  if (error.code != "OutOfMemory") return;
  facts_.fatal_growth = ample.FindGrowth();
  if (!facts_.fatal_growth) return;
  auto allocation = std::move(error.allocation);
  error =
      DiagnoseGrowth(*facts_.fatal_growth, static_cast<std::int64_t>(facts_.rows), error.evidence);
  error.allocation = std::move(allocation);
}

void Story::See(const LoadFacts& load, Workload& workload) {
  facts_.in_flight = workload.in_flight = load.in_flight.value_or(1);
}

void Story::See(const CpuChoice& choice, Workload& workload) {
  for (const CpuPoint& point : choice.curve.points) {
    if (point.cpu != choice.cpu || !point.passed) continue;
    const int there = InFlightOf(workload.objective, point.mean_ms);
    facts_.in_flight = workload.in_flight = std::max(workload.in_flight, there);
  }
}

}  // namespace mlprof::server
