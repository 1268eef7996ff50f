#include "server/profiling/phases/thread_pools.h"

#include <gtest/gtest.h>

#include "tests/server/profiling/lab_bench.h"

namespace mlprof::server::phases {
namespace {

// A row of the imitated model takes 2 ms at full speed, whatever its pools are told.
constexpr double kFullSpeedMs = 2;

// A search that measured `p95_ms` at the limit that it chose.
CpuChoice Chosen(double p95_ms, Cores cpu = Cores(1.0)) {
  CpuChoice choice;
  choice.cpu = cpu;
  CpuPoint point;
  point.cpu = choice.cpu;
  point.p95_ms = p95_ms;
  choice.curve.points = {point};
  return choice;
}

PoolFacts TryAfter(LabBench& bench, const CpuChoice& choice) {
  ThreadPoolEvidence evidence;
  evidence.threads = 8;
  evidence.processes = 1;
  evidence.libraries = {"libgomp"};
  evidence.limit = choice.cpu;
  evidence.throttled_share = 0.5;
  evidence.visible_cores = 8;
  evidence.host_cores = 8;
  MeasuredNeed need;
  need.cpu.cores = 1;
  need.memory.serving_peak = MiB(250);
  auto facts = TryThreadPools(bench.lab, bench.MeasuredAt(kFullSpeedMs), evidence, choice, need);
  EXPECT_TRUE(facts) << "the run ended";
  return facts ? *std::move(facts) : PoolFacts();
}

TEST(TryThreadPoolsTest, TakesNoSizeThatWasOnlyFasterThanASlowMinuteOfTheSearch) {
  LabBench bench;
  const PoolFacts facts = TryAfter(bench, Chosen(1.5 * kFullSpeedMs));
  EXPECT_FALSE(facts.found.adopted);
  EXPECT_FALSE(facts.cpu);
  EXPECT_NEAR(facts.found.gain.value_or(0), 1, 0.01);
  ASSERT_EQ(bench.journal.trials.size(), 2U);
  EXPECT_FALSE(bench.journal.trials[0].environment.empty());
  EXPECT_TRUE(bench.journal.trials[1].environment.empty()) << "without the settings, beside it";
}

// Of which the second container, without the settings, is slower for whatever reason.
FakeModel SlowInSecondContainer(const FakeRuntime*& runtime) {
  FakeModel model;
  model.threads = 8;
  model.sleeps_more = [&runtime] {
    return std::chrono::milliseconds(runtime->launches().size() == 2 ? 1 : 0);
  };
  return model;
}

TEST(TryThreadPoolsTest, TakesNoSizeThatLeftTheThreadsAsTheyWere) {
  const FakeRuntime* runtime = nullptr;
  LabBench bench(SlowInSecondContainer(runtime));
  runtime = &bench.runtime;
  const PoolFacts facts = TryAfter(bench, Chosen(1.5 * kFullSpeedMs));
  EXPECT_EQ(bench.journal.trials.size(), 2U);
  EXPECT_FALSE(facts.found.adopted);
  EXPECT_EQ(facts.found.gain, 1);
  EXPECT_FALSE(facts.advice);
}

// Of a model that obeys, and whose container without the settings is slower.
PoolFacts TryWhereItHelps(const CpuChoice& choice) {
  const FakeRuntime* runtime = nullptr;
  FakeModel model = SlowInSecondContainer(runtime);
  model.obeys_openmp = true;
  LabBench bench(model);
  runtime = &bench.runtime;
  return TryAfter(bench, choice);
}

TEST(TryThreadPoolsTest, TakesASizeThatLeavesFewerThreadsAndIsFaster) {
  const PoolFacts facts = TryWhereItHelps(Chosen(2 * kFullSpeedMs));
  EXPECT_TRUE(facts.found.adopted);
  EXPECT_NEAR(facts.found.gain.value_or(0), 1.5, 0.1) << "the less of both comparisons";
  EXPECT_TRUE(facts.advice);
}

TEST(TryThreadPoolsTest, GainsWhatItsOwnContainerShowsWhereTheSearchDidNotTryItsLimit) {
  const PoolFacts facts = TryWhereItHelps(Chosen(kFullSpeedMs, Cores(1.5)));
  EXPECT_EQ(facts.cpu, Cores(1.0));
  EXPECT_NEAR(facts.found.gain.value_or(0), 1.5, 0.1);
}

TEST(TryThreadPoolsTest, SavesNoCpuWhereTheSmallerLimitHoldsWithoutTheSize) {
  FakeModel model;
  model.threads = 8;
  model.obeys_openmp = true;
  LabBench bench(model);
  const PoolFacts facts = TryAfter(bench, Chosen(kFullSpeedMs, Cores(1.5)));
  ASSERT_GE(bench.journal.trials.size(), 2U);
  EXPECT_EQ(bench.journal.trials[1].limits.cpu(), Cores(1.0));
  EXPECT_TRUE(bench.journal.trials[1].passed);
  EXPECT_FALSE(facts.found.adopted);
}

TEST(TryThreadPoolsTest, AsksForNoSecondContainerWhereNothingWasGained) {
  LabBench bench;
  EXPECT_FALSE(TryAfter(bench, Chosen(kFullSpeedMs)).found.adopted);
  EXPECT_EQ(bench.journal.trials.size(), 1U);
}

}  // namespace
}  // namespace mlprof::server::phases
