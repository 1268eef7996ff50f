#include "server/profiling/phases/warm_up.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/server/profiling/lab_bench.h"

namespace mlprof::server::phases {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr int kRows = 1200;

// A pass takes 15 s, and its rows become cheaper for seconds on end, as in a model that becomes
// warm: at the end of the dataset, and on from its beginning.
microseconds Falling(const std::string& row) {
  const int since_dearest = (std::stoi(row.substr(4)) + kRows / 2) % kRows;
  return microseconds(15'000 * (kRows - since_dearest) / kRows);
}

FakeModel ModelOfUnlikeRows() {
  FakeModel model;
  model.cpu_per_row = milliseconds(5);
  model.cpu_of_row = Falling;
  return model;
}

WarmUpFacts WarmUpOf(LabBench& bench) {
  Ample ample(bench.lab, bench.setup);
  EXPECT_TRUE(ample.Launch(PageCache::kCold));
  EXPECT_TRUE(ample.container().Start());
  auto facts = WarmUp(bench.lab, ample, bench.workload);
  ample.Close();
  EXPECT_TRUE(facts) << "the run ended";
  return facts ? *std::move(facts) : WarmUpFacts();
}

double LaterSeconds(const WarmUpFacts& facts) { return facts.trial.seconds; }

TEST(WarmUpTest, EndsWhereThreeWindowsTakeWhatTheirRowsTookTheFirstTime) {
  LabBench bench(ModelOfUnlikeRows(), kRows);
  const WarmUpFacts facts = WarmUpOf(bench);
  EXPECT_TRUE(facts.steady);
  EXPECT_EQ(facts.first_visits.size(), static_cast<std::size_t>(kRows));
  EXPECT_NEAR(LaterSeconds(facts), 3, 0.1);
}

TEST(WarmUpTest, IsNotOverWhileEachPassTakesLessThanTheOneBefore) {
  // Less than half each time, every row: in that no window of a pass differs from another.
  FakeModel model;
  model.cpu_of_row = [served = 0](const std::string&) mutable {
    return microseconds(static_cast<int>(20'000 * std::pow(0.998, served++)));
  };
  LabBench bench(model, 400);
  const WarmUpFacts facts = WarmUpOf(bench);
  EXPECT_TRUE(facts.steady);
  ASSERT_FALSE(facts.serial.empty());
  EXPECT_LT(facts.serial.back().latency_us, 2'500U) << "of which 2 ms are left in the end";
}

}  // namespace
}  // namespace mlprof::server::phases
