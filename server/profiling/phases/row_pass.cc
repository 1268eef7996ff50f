#include "server/profiling/phases/row_pass.h"

#include <algorithm>
#include <span>

#include "server/analysis/first_visits.h"
#include "server/analysis/input_growth.h"
#include "server/analysis/resource_use.h"
#include "server/analysis/row_cost.h"
#include "server/profiling/lab/workload.h"
#include "server/profiling/phases/row_order.h"
#include "server/profiling/phases/row_records.h"

namespace mlprof::server::phases {
namespace {

// The time of a pass is estimated from the warm-up's rows, which took longer while the model was
// cold. So all rows are tried if this share of the estimate fits. Chosen, not measured.
constexpr double kDoubt = 0.8;
constexpr std::size_t kPasses = 3;
// A pass over few rows is repeated for better medians, a long one is not: the load that follows
// repeats it.
constexpr std::chrono::seconds kRepeatWithin{3};

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
PhaseResult<ReplayResult> ReplayEachOnce(Lab& lab, Ample& ample, ReplayPlan plan) {
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

PhaseResult<ReplayResult> ReplayAll(Lab& lab, Ample& ample, Workload& workload,
                                    const WarmUpFacts& warm_up, RowFacts& facts) {
  if (warm_up.row_pass) {
    workload.left_out = ample.left_out();
    facts.replayed = std::ssize(warm_up.row_pass->replay.requests);
    return warm_up.row_pass->replay;
  }
  ReplayPlan plan = PassPlan(workload);
  const bool fits = AllFit(lab.budget(), workload.rows, facts.serial);
  plan.max_time = lab.budget().For(fits ? Spend::kRows : Spend::kRowSample);
  MLPROF_LET(all, ReplayEachOnce(lab, ample, plan));
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
void KeepRows(Lab& lab, const Workload& workload, const WarmUpFacts& warm_up,
              const ReplayResult& all, RowFacts& facts) {
  std::vector<RowRecord> records = MakeRowRecords(lab.rows(), all, warm_up.first_visits);
  lab.Record(records);
  std::erase_if(records, [&](const RowRecord& record) {
    return workload.left_out.contains(static_cast<std::uint32_t>(record.row));
  });
  facts.distinct = std::ssize(records);
  facts.heavy = HeavyRows(records);
  facts.cpu_seconds_per_query = MeanCpuSeconds(LaterVisits(warm_up.first_visits, all.requests));
  facts.named = NameHeavyRows(records);
  facts.payload = FitPayloadCost(records);
  for (const RowRecord& record : records) {
    if (record.peak_memory) {
      facts.memory.push_back({record.row, record.size, *record.peak_memory});
    }
  }
  facts.memory = KeepForSavings(std::move(facts.memory));
  facts.cold = SummarizeColdRows(records);
}

// What the first visits left in memory, beside what these rows leave when they come again. A
// container that took the place of the one that was warmed up tells neither.
void SeeMemory(const Container& container, const WarmUpFacts& warm_up, RowFacts& facts) {
  const auto& served = container.served();
  const RequestStretch& pass = warm_up.first_pass;
  if (served.empty() || served.front().began != pass.began || pass.requests == 0) return;
  const std::vector<Sample> samples = container.Samples();
  if (const auto during = Between(samples, pass.began, pass.ended); !during.empty() && facts.cold) {
    facts.cold->memory_rise =
        std::max(Bytes(), during.back().unreclaimable - during.front().unreclaimable);
  }
  const auto again = std::find_if(served.begin(), served.end(), [&](const RequestStretch& stretch) {
    return stretch.began >= pass.ended;
  });
  facts.growth = JudgeInputGrowth(samples, pass, {again, served.end()});
}

}  // namespace

PhaseResult<RowFacts> ReplayRows(Lab& lab, Ample& ample, Workload workload,
                                 const WarmUpFacts& warm_up) {
  const Timestamp began = warm_up.row_pass ? warm_up.row_pass->began : Now();
  RowFacts facts;
  facts.serial = warm_up.serial;
  MLPROF_LET(all, ReplayAll(lab, ample, workload, warm_up, facts));
  if (!warm_up.row_pass) {
    const std::vector<RequestRecord> later = LaterVisits(warm_up.first_visits, all.requests);
    facts.serial.insert(facts.serial.end(), later.begin(), later.end());
  }
  KeepRows(lab, workload, warm_up, all, facts);
  const auto see_slowest = [&](std::span<const RequestRecord> requests) {
    for (const RequestRecord& request : requests) {
      facts.slowest_ms = std::max(facts.slowest_ms, request.latency_us / 1000.0);
    }
  };
  see_slowest(warm_up.first_visits);
  see_slowest(facts.serial);
  see_slowest(all.requests);
  workload.distinct_rows = facts.distinct;
  workload.cpu_seconds_per_query = facts.cpu_seconds_per_query;
  const Container& container = ample.container();
  facts.trial = MakeTrial(container, workload, TrialPurpose::kRows, {}, began, all);
  facts.trial.passed = all.failures == 0;
  facts.trial.verdict = std::to_string(facts.distinct) + " rows, " + std::to_string(all.failures) +
                        " failed requests";
  lab.Record(facts.trial);
  const auto failed = CheckRows(container, workload.objective, all);
  if (!failed) return NameOrder(failed.error(), warm_up.first_visits, all.requests);
  facts.failed = *failed;
  // A server that is shared, restarted or asked in parallel meets every order.
  if (facts.failed && OrderDecides(warm_up.first_visits, all.requests) &&
      !container.MetDiskBound("")) {
    return NameOrder(RowsFailed(container, all), warm_up.first_visits, all.requests);
  }
  if (facts.failed) facts.failed->message += OrderNote(warm_up.first_visits, all.requests);
  SeeMemory(container, warm_up, facts);
  facts.need = SeeNeed(container, workload, all, facts.trial, facts.serial);
  facts.need.noisy = lab.host().noisy();
  return facts;
}

FirstPass FirstPassOf(const WarmUpFacts& warm_up, const RowFacts& rows, std::size_t count) {
  FirstPass pass;
  pass.matters = rows.growth || (rows.cold && FirstVisitsAreDear(*rows.cold));
  pass.costs_the_same = rows.cold && FirstVisitsCostTheSame(*rows.cold);
  if (warm_up.first_visits.empty()) return pass;
  for (const RequestRecord& request : warm_up.first_visits) {
    const double seconds = request.latency_us / 1e6;
    pass.seconds += seconds;
    pass.cpu_seconds += request.cpu_us ? *request.cpu_us / 1e6 : seconds;
  }
  const double all = static_cast<double>(count) / static_cast<double>(warm_up.first_visits.size());
  pass.seconds *= std::max(1.0, all);
  pass.cpu_seconds *= std::max(1.0, all);
  return pass;
}

}  // namespace mlprof::server::phases
