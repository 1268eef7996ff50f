#include "server/analysis/what_if/serving_model.h"

#include <gtest/gtest.h>

#include "tests/server/analysis/made_up_profile.h"

namespace mlprof::server {
namespace {

double CpuMs(const MadeUpProfile& made) {
  const auto model = CalibrateServingModel(made.profile, made.trials, made.rows);
  return model ? model->cpu_ms : 0;
}

TEST(ServingModelTest, TakesTheCpuTimeOfARequestFromTheLoad) {
  MadeUpProfile made = ProfileOf({});
  made.trials.front().measurements.cpu_seconds_per_query = 0.021;
  EXPECT_NEAR(CpuMs(made), 21, 1e-6);
}

TEST(ServingModelTest, TakesTheCpuTimeOfTheRowsWhereSomeFailedUnderLoad) {
  MadeUpProfile made = ProfileOf({});
  Measurements& load = made.trials.front().measurements;
  load.success_queries = load.total_queries / 2;
  load.cpu_seconds_per_query = 0.010;
  EXPECT_NEAR(CpuMs(made), 20, 1e-6);
  made.rows.clear();
  EXPECT_NEAR(CpuMs(made), 10, 1e-6);
}

TEST(ServingModelTest, TakesFirstVisitsAndTheLastLoadWhereSeenRowsAreAnsweredFromMemory) {
  MadeUpProfile made = ProfileOf({});
  made.trials.front().measurements.cpu_seconds_per_query = 0.0003;
  made.trials.push_back(made.trials.front());
  made.trials.back().measurements.cpu_seconds_per_query = 0.021;
  for (RowRecord& row : made.rows) row.first_cpu_ms = 35;
  EXPECT_NEAR(CpuMs(made), 0.3, 1e-6);
  made.profile.findings.response_cache.emplace();
  EXPECT_NEAR(CpuMs(made), 21, 1e-6);
  const auto model = CalibrateServingModel(made.profile, made.trials, made.rows);
  EXPECT_NEAR(model->rows.front().cpu_ms, 35, 1e-6);
}

TEST(ServingModelTest, TakesTheLoadCurveAsOfTheCoresItWasMeasuredWith) {
  // One request in a thread, four workers, and a curve measured with two of the four cores.
  MadeUpModel held;
  held.ceiling = Cores(2.0);
  MadeUpProfile made = ProfileOf(held);
  made.profile.request.ceiling.cpu = Cores(4.0);
  Trial level;
  level.purpose = TrialPurpose::kLoadCurve;
  level.limits = {Cores(2.0), MiB(512)};
  made.trials.push_back(level);
  EXPECT_EQ(CpuOfLoadCurve(made.profile, made.trials), Cores(2.0));
  const auto model = CalibrateServingModel(made.profile, made.trials, made.rows);
  ASSERT_TRUE(model);
  EXPECT_EQ(model->server.most_cores, 4);
}

}  // namespace
}  // namespace mlprof::server
