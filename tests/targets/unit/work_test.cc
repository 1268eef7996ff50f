#include "tests/targets/target/work.h"

#include <gtest/gtest.h>

namespace target {
namespace {

// Far from what answering without a cost takes, on any host.
constexpr std::chrono::milliseconds kCost{5};

std::chrono::nanoseconds CpuOf(Model& model, const std::string& body) {
  const std::chrono::nanoseconds before = ThreadCpu();
  model.Respond(body);
  return ThreadCpu() - before;
}

TEST(ModelTest, PaysForABodysFirstVisitAlone) {
  const Options options;
  Model model(options);
  EXPECT_GE(CpuOf(model, "first=5 row1"), kCost);
  EXPECT_LT(CpuOf(model, "first=5 row1"), kCost);
  EXPECT_GE(CpuOf(model, "first=5 row2"), kCost);
}

TEST(ModelTest, PaysForEveryVisitWithoutAResponseCache) {
  const Options options;
  Model model(options);
  EXPECT_GE(CpuOf(model, "burn=5 row1"), kCost);
  EXPECT_GE(CpuOf(model, "burn=5 row1"), kCost);
}

TEST(ModelTest, AnswersABodyFromItsResponseCacheAsBefore) {
  Options options;
  options.response_cache = true;
  Model model(options);
  EXPECT_GE(CpuOf(model, "burn=5 status=201 row1"), kCost);
  EXPECT_LT(CpuOf(model, "burn=5 status=201 row1"), kCost);
  EXPECT_EQ(model.Respond("burn=5 status=201 row1").status, 201);
  EXPECT_GE(CpuOf(model, "burn=5 row2"), kCost);
}

TEST(ModelTest, RefusesAnEarlierRowAfterALaterOneWhereOrderCounts) {
  Options options;
  options.in_order = true;
  Model model(options);
  EXPECT_EQ(model.Respond("burn=0 row0").status, 200);
  EXPECT_EQ(model.Respond("burn=0 row5").status, 200);
  EXPECT_EQ(model.Respond("burn=0 row5").status, 200);
  EXPECT_EQ(model.Respond("burn=0 row4").status, 500);
  EXPECT_EQ(model.Respond("burn=0 row6").status, 200);
  EXPECT_EQ(model.Respond("no number, no rowboat").status, 200);
}

TEST(ModelTest, TakesRowsInAnyOrderOtherwise) {
  const Options options;
  Model model(options);
  EXPECT_EQ(model.Respond("row5").status, 200);
  EXPECT_EQ(model.Respond("row4").status, 200);
}

}  // namespace
}  // namespace target
