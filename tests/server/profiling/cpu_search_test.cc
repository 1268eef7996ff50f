// Which CPU limits hold: by their own latencies and errors, beside the median look at full speed.
#include <gtest/gtest.h>

#include <chrono>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include "server/profiling/phases/reference.h"
#include "server/profiling/phases/search_cpu.h"
#include "tests/server/profiling/lab_bench.h"
#include "tests/server/profiling/profiling_bench.h"

namespace mlprof::server {
namespace {

using phases::Reference;

Look LookOf(double p95_ms, std::size_t requests = 100) {
  Look look;
  for (std::size_t i = 0; i < requests; ++i) {
    look.visits.push_back(
        {static_cast<std::uint32_t>(i % 20), static_cast<std::uint32_t>(p95_ms * 1000)});
  }
  look.requests_per_second = 1000 / p95_ms;
  return look;
}

Reference Seen(std::initializer_list<double> p95s_ms) {
  Reference reference;
  for (const double p95_ms : p95s_ms) reference = WithLook(std::move(reference), LookOf(p95_ms));
  return reference;
}

TEST(ReferenceTest, IsTheMedianLookAndNeitherTheFastestNorTheSlowest) {
  EXPECT_EQ(Seen({10, 8, 30}).p95_ms, 10);
  EXPECT_EQ(Seen({10, 12}).p95_ms, 11);
}

TEST(ReferenceTest, ForgetsTheOldestLooks) { EXPECT_EQ(Seen({5, 5, 5, 5, 9, 9, 9}).p95_ms, 9); }

TEST(ReferenceTest, IsNoRunOfFewRequestsWhereThereIsAnother) {
  EXPECT_EQ(WithLook(Seen({10}), LookOf(2, 58)).p95_ms, 10);
  EXPECT_EQ(phases::WithLook({}, LookOf(2, 58)).p95_ms, 2);
}

TEST(ReferenceTest, IsTheLookOfNowAloneWhereTurnsAreTaken) {
  EXPECT_EQ(OnlyWith(Seen({5, 5, 5}), LookOf(9)).p95_ms, 9);
}

TEST(ReferenceTest, IsTheObjectivesLoadAlone) {
  Objective objective;
  EXPECT_TRUE(phases::IsObjectivesLoad(objective, 1));
  EXPECT_FALSE(phases::IsObjectivesLoad(objective, 4));
  objective.requests_per_second = 5;
  EXPECT_FALSE(phases::IsObjectivesLoad(objective, 1));
}

std::vector<Trial> TrialsOf(TrialPurpose purpose, const Objective& objective,
                            const FakeModel& model) {
  ProfilingBench bench{model};
  bench.RegisterInputs(TextRows(20));
  ProfileRequest request = ProfilingBench::Request("p", std::chrono::seconds(300));
  request.objective = objective;
  EXPECT_TRUE(bench.service().Create("default", request, {}).has_value());
  bench.AwaitEnd("p");
  std::vector<Trial> probes = bench.service().Trials("default", "p").value_or(std::vector<Trial>());
  std::erase_if(probes, [&](const Trial& t) { return t.purpose != purpose; });
  return probes;
}

std::vector<Trial> ProbesOf(const Objective& objective, const FakeModel& model = {}) {
  return TrialsOf(TrialPurpose::kCpuProbe, objective, model);
}

TEST(CpuSearchTest, LeavesALimitThatIsClearlyTooSlowAfterASecond) {
  int early = 0;
  for (const Trial& probe : ProbesOf({})) {
    if (!probe.passed && probe.limits.cpu() <= Cores(0.7)) {
      EXPECT_LT(probe.seconds, 2) << probe.limits.cpu().value();
      ++early;
    }
  }
  EXPECT_GT(early, 0);
}

TEST(CpuSearchTest, LeavesALimitThatMissesALatencyAfterABlockOfRows) {
  Objective objective;
  objective.latency_ms = {{"p95", 100}};
  FakeModel model;
  model.cpu_per_row = std::chrono::milliseconds(50);
  int missed = 0;
  for (const Trial& probe : ProbesOf(objective, model)) {
    if (probe.passed) continue;
    EXPECT_LT(probe.measurements.total_queries, 30) << probe.limits.cpu().value();
    ++missed;
  }
  EXPECT_GT(missed, 0);
}

TEST(CpuSearchTest, BeginsWithWhatALatencyTakesAndLeavesOutTheLimitsAboveIt) {
  Objective objective;
  objective.latency_ms = {{"p95", 110}};
  FakeModel model;
  model.cpu_per_row = std::chrono::milliseconds(50);
  const std::vector<Trial> probes = ProbesOf(objective, model);
  ASSERT_GE(probes.size(), 2U);
  EXPECT_EQ(probes.front().limits.cpu(), Cores(0.5)) << "50 ms of CPU in 110 ms";
  EXPECT_EQ(probes[1].limits.cpu(), Cores(0.4)) << "the rows use 1.0, and nothing above is tried";
}

TEST(CpuSearchTest, AStepOfCpuThatMissesALatencyFromItsFirstRowOnIsLeftInItsWarmUp) {
  Objective objective;
  objective.latency_ms = {{"p95", 110}};
  FakeModel model;
  model.cpu_per_row = std::chrono::milliseconds(50);
  int steps = 0;
  for (const Trial& trial : TrialsOf(TrialPurpose::kTightness, objective, model)) {
    if (trial.limits.cpu() >= Cores(0.5)) continue;
    EXPECT_FALSE(trial.passed);
    EXPECT_LE(trial.measurements.total_queries, 32) << "two windows of two seconds";
    ++steps;
  }
  EXPECT_GE(steps, 2);
}

TEST(CpuSearchTest, VisitsTheCeilingBehindTheFirstLimitAndEveryThirdAtTheLatest) {
  int since = 0;
  int anchors = 0;
  for (const Trial& probe : ProbesOf({})) {
    const bool at_ceiling = probe.limits.cpu() == LabBench::kCeiling.cpu();
    anchors += at_ceiling ? 1 : 0;
    since = at_ceiling ? 0 : since + 1;
    EXPECT_LE(since, anchors == 0 ? 1 : 3);
    if (anchors > 1) break;  // the curve's own limits come after the search
  }
  EXPECT_GE(anchors, 1);
}

struct Searched {
  Cores found;
  std::vector<Cores> tried;
};

// From a guess of `guess` cores, of a model that keeps one busy with rows of 2 ms, which took
// `ms_before` when the reference was taken. `busy_cores`: of the host, whoever uses them, once a
// limit was tried.
Searched SearchBeside(double busy_cores, double ms_before = 2, double guess = 1.2) {
  std::optional<std::chrono::nanoseconds> since;
  LabBench bench;
  bench.runtime.host_load = [&] {
    HostLoad load;
    load.at = bench.runtime.clock().Now();
    if (!since && !bench.journal.trials.empty()) since = load.at;
    const std::chrono::duration<double> busy = load.at - since.value_or(load.at);
    load.busy_seconds = busy_cores * busy.count();
    return load;
  };
  const phases::Yardstick measured = bench.MeasuredAt(ms_before, ms_before);
  auto container = bench.lab.Launch(
      {bench.kCeiling, bench.setup, bench.lab.NextSeed(), PageCache::kCold, Use::kObjective});
  EXPECT_TRUE((*container)->Start());
  phases::LoadFacts load;
  load.reference = measured.reference;
  MeasuredNeed need;
  need.cpu.cores = guess;
  const auto choice = phases::SearchCpu(bench.lab, **container, bench.workload, load, need);
  (*container)->Close();
  Searched searched{choice ? choice->cpu : Cores(), {}};
  for (const Trial& trial : bench.journal.trials) searched.tried.push_back(trial.limits.cpu());
  return searched;
}

TEST(CpuSearchTest, TriesNoLimitThatNoiseForbidsToBecomeTheAnswer) {
  EXPECT_EQ(SearchBeside(0).found, Cores(1.0));
  const Searched beside_other_work = SearchBeside(1.9);
  EXPECT_EQ(beside_other_work.found, Cores(1.2));
  for (const Cores tried : beside_other_work.tried) EXPECT_GE(tried, Cores(1.2));
}

// A second try might meet a moment in which the host is faster.
TEST(CpuSearchTest, TriesALimitOnceThatIsSlowBesideALookOnTheSameHost) {
  const Searched on_slower_host = SearchBeside(0, 1.65, 0.9);
  EXPECT_EQ(on_slower_host.found, Cores(1.0));
  EXPECT_EQ(std::ranges::count(on_slower_host.tried, Cores(0.9)), 1);
}

TEST(CpuSearchTest, AServerThatTurnsRequestsAwayAtALowLimitNeedsMore) {
  FakeModel model;
  model.sheds_below = Cores(0.8);
  ProfilingBench bench(model);
  bench.RegisterInputs(TextRows(20));
  ProfileRequest request = ProfilingBench::Request("p", std::chrono::seconds(300));
  request.objective.latency_ms = {{"p95", 100}};
  ASSERT_TRUE(bench.service().Create("default", request, {}).has_value());
  const Profile profile = bench.AwaitEnd("p");
  ASSERT_TRUE(profile.recommendation.has_value());
  EXPECT_TRUE(profile.recommendation->verified);
  EXPECT_EQ(profile.recommendation->requested.cpu(), Cores(0.8));
}

}  // namespace
}  // namespace mlprof::server
