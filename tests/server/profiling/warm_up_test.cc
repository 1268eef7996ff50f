#include "server/profiling/phases/warm_up.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "tests/server/profiling/lab_bench.h"

namespace mlprof::server::phases {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

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

TEST(WarmUpTest, EndsWhereThreeWindowsTakeWhatTheirRowsTookTheFirstTime) {
  LabBench bench(ModelOfUnlikeRows(), kRows);
  const WarmUpFacts facts = WarmUpOf(bench);
  EXPECT_TRUE(facts.steady);
  EXPECT_EQ(facts.first_visits.size(), static_cast<std::size_t>(kRows));
  EXPECT_NEAR(facts.trial.seconds, 3, 0.1) << "beyond the first visits";
}

TEST(WarmUpTest, LeavesOutWhatTheProcessPaysOnceWithItsVeryFirstRow) {
  FakeModel model = ModelOfUnlikeRows();
  model.cpu_of_row = [loaded = false](const std::string& row) mutable {
    return Falling(row) + (std::exchange(loaded, true) ? milliseconds(0) : seconds(4));
  };
  LabBench bench(model, kRows);
  EXPECT_NEAR(WarmUpOf(bench).trial.seconds, 3, 0.1);
}

TEST(WarmUpTest, TellsNothingByTheFirstTimeOfRowsThatFail) {
  FakeModel model = ModelOfUnlikeRows();
  model.status = [](const std::string& row) { return row == "row 70" ? 400 : 200; };
  LabBench bench(model, kRows);
  EXPECT_GT(WarmUpOf(bench).trial.seconds, 5);
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
