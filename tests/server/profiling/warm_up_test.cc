#include "server/profiling/phases/warm_up.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "server/profiling/phases/row_pass.h"
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

WarmUpFacts WarmUpOf(LabBench& bench, WarmUpFor next = WarmUpFor::kRows) {
  Ample ample(bench.lab, bench.setup);
  EXPECT_TRUE(ample.Launch(PageCache::kCold));
  EXPECT_TRUE(ample.container().Start());
  auto facts = WarmUp(bench.lab, ample, bench.workload, next);
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

constexpr std::size_t kSlowRows = 200;

// A pass takes 4 s.
FakeModel ModelOfSlowRows() {
  FakeModel model;
  model.cpu_per_row = milliseconds(20);
  return model;
}

TEST(WarmUpTest, ReplaysSlowRowsAsPhaseRowsNeedsThemWhileItSeesWhetherTheModelIsWarm) {
  LabBench bench(ModelOfSlowRows(), kSlowRows);
  const WarmUpFacts facts = WarmUpOf(bench);
  EXPECT_TRUE(facts.steady);
  ASSERT_TRUE(facts.row_pass);
  const auto& pass = facts.row_pass->replay.requests;
  ASSERT_EQ(pass.size(), kSlowRows);
  EXPECT_EQ(facts.serial.size(), kSlowRows) << "nothing was replayed beyond it";
  std::set<std::uint32_t> rows;
  for (const RequestRecord& request : pass) {
    EXPECT_TRUE(request.cpu_us) << "row " << request.row;
    rows.insert(request.row);
  }
  EXPECT_EQ(rows.size(), kSlowRows);
  EXPECT_FALSE(std::is_sorted(pass.begin(), pass.end(), [](const auto& a, const auto& b) {
    return a.row < b.row;
  })) << "in the dataset's order a server that keeps state is not found out";
}

TEST(WarmUpTest, TakesTheLastWindowsThatHoldEveryRowOnceTheModelIsWarm) {
  FakeModel model = ModelOfSlowRows();
  model.cpu_of_row = [served = 0](const std::string&) mutable {
    return milliseconds(++served < 320 ? 15 : 0);
  };
  LabBench bench(model, kSlowRows);
  const WarmUpFacts facts = WarmUpOf(bench);
  EXPECT_TRUE(facts.steady);
  EXPECT_GT(facts.serial.size(), kSlowRows);
  ASSERT_TRUE(facts.row_pass);
  for (const RequestRecord& request : facts.row_pass->replay.requests) {
    EXPECT_LT(request.latency_us, 30'000U) << "row " << request.row << " was cold";
  }
}

TEST(WarmUpTest, LeavesRowsToTheirPhaseWhereTheModelWasNotWarmYet) {
  // By a fortieth a window: three of them agree, and a pass of twelve does not.
  FakeModel model;
  model.cpu_of_row = [served = 0](const std::string&) mutable {
    return microseconds(static_cast<int>(20'000 * std::pow(0.9995, served++)));
  };
  LabBench bench(model, 600);
  EXPECT_FALSE(WarmUpOf(bench).row_pass);
}

TEST(WarmUpTest, LeavesRowsToTheirPhaseWhereOneFails) {
  FakeModel model = ModelOfSlowRows();
  model.status = [](const std::string& row) { return row == "row 70" ? 400 : 200; };
  LabBench bench(model, kSlowRows);
  EXPECT_FALSE(WarmUpOf(bench).row_pass);
}

TEST(WarmUpTest, ReplaysNoMoreForARowPassOnceARowFailedThatWasAnsweredBefore) {
  FakeModel model = ModelOfSlowRows();
  model.status = [visits = 0](const std::string& row) mutable {
    return row == "row 70" && visits++ > 0 ? 400 : 200;
  };
  LabBench bench(model, kSlowRows);
  const WarmUpFacts facts = WarmUpOf(bench);
  EXPECT_TRUE(facts.steady);
  EXPECT_FALSE(facts.row_pass);
  EXPECT_LE(facts.serial.size(), kSlowRows);
}

TEST(WarmUpTest, IsForNoRowPassWhereLoadComesNext) {
  LabBench bench(ModelOfSlowRows(), kSlowRows);
  const WarmUpFacts facts = WarmUpOf(bench, WarmUpFor::kLoad);
  EXPECT_TRUE(facts.steady);
  EXPECT_FALSE(facts.row_pass);
  EXPECT_LT(facts.serial.size(), kSlowRows);
}

TEST(WarmUpTest, HasARowPassOfFewRowsInOneWindow) {
  FakeModel model;
  model.cpu_per_row = milliseconds(100);
  LabBench bench(model, 40);
  const WarmUpFacts facts = WarmUpOf(bench);
  ASSERT_TRUE(facts.row_pass);
  EXPECT_EQ(facts.row_pass->replay.requests.size(), 40U);
  EXPECT_EQ(facts.serial.size() % 40, 0U);
}

TEST(WarmUpTest, TellsTheCoresThatRowsUseAlthoughTheModelRestsWhileTheyAreAttributed) {
  LabBench bench(ModelOfSlowRows(), kSlowRows);
  EXPECT_NEAR(WarmUpOf(bench).need.cores, 1, 0.05);
}

TEST(WarmUpTest, LeavesQuickRowsToTheirPhaseWhichReplaysThemSeveralTimes) {
  LabBench bench(FakeModel{}, kSlowRows);
  EXPECT_FALSE(WarmUpOf(bench).row_pass);
}

TEST(RowPassTest, OfTheWarmUpIsNotReplayedAgain) {
  LabBench bench(ModelOfSlowRows(), kSlowRows);
  Ample ample(bench.lab, bench.setup);
  ASSERT_TRUE(ample.Launch(PageCache::kCold));
  ASSERT_TRUE(ample.container().Start());
  const auto warm_up = WarmUp(bench.lab, ample, bench.workload, WarmUpFor::kRows);
  ASSERT_TRUE(warm_up && warm_up->row_pass);
  const auto served = ample.container().RequestsServed();
  const auto rows = ReplayRows(bench.lab, ample, bench.workload, *warm_up);
  ASSERT_TRUE(rows);
  EXPECT_EQ(ample.container().RequestsServed(), served);
  EXPECT_EQ(rows->distinct, static_cast<std::int64_t>(kSlowRows));
  EXPECT_EQ(rows->serial.size(), kSlowRows) << "its rows count once";
  EXPECT_TRUE(rows->cpu_seconds_per_query);
  ASSERT_TRUE(rows->cold) << "the first visits are there to compare with";
  ample.Close();
}

}  // namespace
}  // namespace mlprof::server::phases
