#include "server/profiling/phases/row_pass.h"

#include <algorithm>

#include "server/analysis/row_cost.h"
#include "server/profiling/lab/workload.h"
#include "server/profiling/phases/row_records.h"

namespace mlprof::server::phases {
namespace {

// The time of a pass is estimated from the warm-up's rows, which took longer while the model was
// cold. So all rows are tried if this share of the estimate fits. Chosen, not measured.
constexpr double kDoubt = 0.8;
constexpr std::size_t kPasses = 3;
// A pass over few rows is repeated for better medians, a long one is not.
constexpr std::chrono::seconds kRepeatWithin{10};

bool AllFit(const Budget& budget, std::size_t rows, const std::vector<RequestRecord>& seen) {
  if (seen.empty()) return true;
  double sum_us = 0;
  for (const RequestRecord& request : seen) sum_us += request.latency_us;
  const double pass_ns =
      1000 * sum_us / static_cast<double>(seen.size()) * static_cast<double>(rows);
  return pass_ns * kDoubt <= static_cast<double>(budget.For(Spend::kRows).count());
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
PhaseResult<ReplayResult> FirstPass(Lab& lab, Ample& ample, ReplayPlan plan) {
  ReplayResult all;
  plan.ends_at_kill = true;
  const auto until = lab.clock().Now() + plan.max_time.value_or(std::chrono::nanoseconds{0});
  while (!plan.order.empty()) {
    plan.max_requests = plan.order.size();
    plan.max_time = std::max(std::chrono::nanoseconds{0}, until - lab.clock().Now());
    const ReplayResult part = ample.container().Replay(plan, lab.budget().end());
    Append(all, part);
    MLPROF_LET(replaced, ample.ReplaceKilled(part));
    if (!replaced) break;
    ForgetFrom(*ample.last_row(), plan, all);
  }
  if (auto ended = CheckTarget(lab, ample.container(), all); !ended) {
    return tl::unexpected<RunEnd>(ended.error());
  }
  return all;
}

ReplayPlan PassPlan(const Workload& workload) {
  ReplayPlan plan;
  plan.order = SeededOrder(workload);
  plan.attribute = true;
  plan.max_requests = plan.order.size();
  return plan;
}

PhaseResult<ReplayResult> ReplayAll(Lab& lab, Ample& ample, Workload& workload, RowFacts& facts) {
  ReplayPlan plan = PassPlan(workload);
  const bool fits = AllFit(lab.budget(), workload.rows, facts.serial);
  plan.max_time = lab.budget().For(fits ? Spend::kRows : Spend::kRowSample);
  MLPROF_LET(all, FirstPass(lab, ample, plan));
  workload.left_out = ample.left_out();
  facts.replayed = std::ssize(all.requests);
  facts.sampled = all.requests.size() < workload.rows_left();
  const auto pass = all.ended - all.began;
  if (!facts.sampled && pass * (kPasses - 1) < kRepeatWithin) {
    plan = PassPlan(workload);
    plan.max_requests = plan.order.size() * (kPasses - 1);
    const ReplayResult more = ample.container().Replay(plan, lab.budget().end());
    if (auto ended = CheckTarget(lab, ample.container(), more); !ended) {
      return tl::unexpected<RunEnd>(ended.error());
    }
    Append(all, more);
  }
  return all;
}

// What is said of the rows one by one.
void KeepRows(Lab& lab, const Workload& workload, const ReplayResult& all, RowFacts& facts) {
  std::vector<RowRecord> records = MakeRowRecords(lab.rows(), all);
  lab.Record(records);
  std::erase_if(records, [&](const RowRecord& record) {
    return workload.left_out.contains(static_cast<std::uint32_t>(record.row));
  });
  facts.distinct = std::ssize(records);
  facts.heavy = HeavyRows(records);
  facts.cpu_seconds_per_query = MeanCpuSeconds(all);
  facts.named = NameHeavyRows(records);
  facts.payload = FitPayloadCost(records);
}

}  // namespace

PhaseResult<RowFacts> ReplayRows(Lab& lab, Ample& ample, Workload workload,
                                 const std::vector<RequestRecord>& serial) {
  const Timestamp began = Now();
  RowFacts facts;
  facts.serial = serial;
  MLPROF_LET(all, ReplayAll(lab, ample, workload, facts));
  facts.serial.insert(facts.serial.end(), all.requests.begin(), all.requests.end());
  KeepRows(lab, workload, all, facts);
  for (const RequestRecord& request : facts.serial) {
    facts.slowest_ms = std::max(facts.slowest_ms, request.latency_us / 1000.0);
  }
  workload.distinct_rows = facts.distinct;
  workload.cpu_seconds_per_query = facts.cpu_seconds_per_query;
  const Container& container = ample.container();
  facts.trial = MakeTrial(container, workload, TrialPurpose::kRows, {}, began, all);
  facts.trial.passed = all.failures == 0;
  facts.trial.verdict = std::to_string(facts.distinct) + " rows, " + std::to_string(all.failures) +
                        " failed requests";
  lab.Record(facts.trial);
  MLPROF_LET(failed, CheckRows(container, workload.objective, all));
  facts.failed = failed;
  facts.need = SeeNeed(container, workload, all, facts.trial, facts.serial);
  facts.need.noisy = lab.host().noisy();
  return facts;
}

}  // namespace mlprof::server::phases
