#include "server/profiling/phases/distinct_rows.h"

#include <algorithm>

#include "server/analysis/first_visits.h"
#include "server/analysis/latency.h"

namespace mlprof::server::phases {
namespace {

// So many rows make a process warm, if the dataset has them to spare; three where it has not.
// Chosen, not measured.
constexpr std::size_t kMostApart = 10;
constexpr std::size_t kFewestApart = 3;
constexpr std::chrono::seconds kDistinctLoadTime{10};  // as the reference's (load.cc)

std::size_t RowsInLoad(const Workload& workload) {
  return workload.rows_left() - std::min(workload.rows_left(), workload.apart.size());
}

Look LookAtFirstVisits(const std::vector<RequestRecord>& first_visits) {
  Look look;
  double seconds = 0;
  for (const RequestRecord& visit : first_visits) {
    seconds += visit.latency_us / 1e6;
    if (visit.Succeeded()) look.visits.push_back({visit.row, visit.latency_us, false});
  }
  if (seconds > 0) look.requests_per_second = static_cast<double>(look.visits.size()) / seconds;
  return look;
}

DistinctFacts OfFirstVisits(const Yardstick& yardstick, const WarmUpFacts& warm_up) {
  DistinctFacts facts;
  facts.reference = OnlyWith(yardstick.reference, LookAtFirstVisits(warm_up.first_visits));
  if (warm_up.cache) {
    facts.cores = CoresOfFirstVisits(*warm_up.cache, yardstick.workload.objective).value_or(0);
  }
  return facts;
}

}  // namespace

Workload EachRowOnce(Workload workload) {
  const std::vector<std::uint32_t> order = SeededOrder(workload);
  const std::size_t needed = RequestsToSee(workload.objective);
  const std::size_t spare = order.size() - std::min(order.size(), needed);
  const std::size_t apart = std::min(std::clamp(spare, kFewestApart, kMostApart), order.size() / 2);
  workload.each_row_once = true;
  workload.apart.assign(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(apart));
  return workload;
}

CpuChoice ChooseForDistinctRows(const MeasuredNeed& need, const Limits& ceiling,
                                const Reference& reference) {
  CpuChoice choice;
  choice.cpu = FirstAnswer(need, ceiling).cpu();
  choice.reference = reference;
  return choice;
}

PhaseResult<DistinctFacts> MeasureDistinctRows(Lab& lab, const Yardstick& yardstick,
                                               const WarmUpFacts& warm_up) {
  DistinctFacts facts = OfFirstVisits(yardstick, warm_up);
  if (!LeavesRoomToProve(lab.budget(), yardstick)) return facts;
  Yardstick unjudged = yardstick;
  unjudged.reference.p95_ms.reset();
  unjudged.reference.looks.clear();
  const auto longest = lab.budget().Left() / 4;
  MLPROF_LET(run, RunAtLimits(lab, unjudged,
                              {lab.ceiling(),
                               TrialPurpose::kLoad,
                               {std::min<std::chrono::nanoseconds>(kDistinctLoadTime, longest),
                                RequestsToSee(yardstick.workload.objective), longest}}));
  const Measurements& measured = run.trial.measurements;
  if (!measured.latency_p95_ms) return facts;
  facts.trial = run.trial;
  facts.reference = OnlyWith(yardstick.reference, run.look);
  const double each = measured.cpu_seconds_per_query.value_or(0);
  facts.cores = std::max(facts.cores, each * measured.queries_per_second.value_or(0));
  return facts;
}

void KeepToDistinctRows(const Workload& workload, Verification& verification) {
  if (!workload.each_row_once || !(verification.proof || verification.held)) return;
  const std::size_t needed = RequestsToSee(workload.objective);
  if (RowsInLoad(workload) >= needed) return;
  verification.proof.reset();
  verification.why_not =
      "three containers held, but rows that were seen are answered from memory, and the dataset "
      "has "
      "no more than " +
      std::to_string(RowsInLoad(workload)) + " distinct rows for the " + std::to_string(needed) +
      " requests that its percentile takes";
}

}  // namespace mlprof::server::phases
