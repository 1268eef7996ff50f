// Whole profiles of models whose first visits differ from later ones.
#include <gtest/gtest.h>

#include "tests/server/profiling/profiling_bench.h"

namespace mlprof::server {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

Profile ProfileOf(ProfilingBench& bench, int rows) {
  bench.RegisterInputs(TextRows(rows));
  EXPECT_TRUE(bench.service().Create("default", bench.Request("p", kBudget), {}).has_value());
  Profile profile = bench.AwaitEnd("p");
  EXPECT_EQ(profile.state, ProfileState::kSucceeded)
      << (profile.error ? profile.error->message : "");
  return profile;
}

std::string WarningOf(const Profile& profile, const std::string& code) {
  for (const Warning& warning : profile.warnings) {
    if (warning.code == code) return warning.message;
  }
  return "";
}

TEST(FirstVisitsRunTest, AnswerForWarmRowsAndTellWhatColdOnesCost) {
  FakeModel model;
  model.cpu_per_row = microseconds(200);
  model.sleep_per_row = milliseconds(50);
  model.first_visit_cpu = milliseconds(300);
  ProfilingBench bench(model);
  const Profile profile = ProfileOf(bench, 40);
  EXPECT_EQ(profile.recommendation->requested.cpu(), Cores(0.1));
  EXPECT_TRUE(profile.recommendation->verified);
  const ColdRows cold = profile.findings.cold_rows.value();
  EXPECT_EQ(cold.rows, 40);
  EXPECT_EQ(cold.dear_rows, 39);
  EXPECT_NEAR(cold.average_latency_ms, 350.2, 1);
  EXPECT_NEAR(cold.cpu_ms_per_row.value_or(0), 300.2, 1);
  EXPECT_NEAR(cold.warm_average_latency_ms, 50.2, 1);
  EXPECT_NEAR(cold.warm_cpu_ms_per_row.value_or(0), 0.2, 0.1);
  const std::string message = WarningOf(profile, "coldRows");
  EXPECT_NE(message.find("350 ms"), std::string::npos) << message;
  EXPECT_NE(message.find("with 0.1 cores"), std::string::npos) << message;
  const auto rows = bench.service().Rows("default", "p");
  EXPECT_NEAR(rows->at(5).first_cpu_ms.value_or(0), 300.2, 1);
  EXPECT_NEAR(rows->at(5).cpu_ms.value_or(0), 0.2, 0.1);
  EXPECT_FALSE(HasWarning(profile, "responseCache"));
  EXPECT_FALSE(HasWarning(profile, "growsWithInputs"));
}

TEST(FirstVisitsRunTest, SayNothingOfAModelWhoseRowsAlwaysCostTheSame) {
  ProfilingBench bench;
  const Profile profile = ProfileOf(bench, 40);
  for (const char* code : {"coldRows", "responseCache", "growsWithInputs"}) {
    EXPECT_FALSE(HasWarning(profile, code)) << code;
  }
  EXPECT_EQ(profile.findings.cold_rows->dear_rows, 0);
}

FakeModel CachingModel() {
  FakeModel model;
  model.cpu_per_row = milliseconds(20);
  model.caches_responses = true;
  return model;
}

TEST(FirstVisitsRunTest, AnswerForDistinctRowsWhereSeenOnesAreAnsweredFromMemory) {
  ProfilingBench bench(CachingModel());
  const Profile profile = ProfileOf(bench, 200);  // 3.8 s of rows, each once
  EXPECT_EQ(profile.recommendation->requested.cpu(), Cores(1.0));
  EXPECT_TRUE(profile.recommendation->verified) << WarningOf(profile, "unverified");
  EXPECT_NE(profile.recommendation->bounds.Find(ResourceKind::kCpu)->confidence, Confidence::kHigh);
  EXPECT_NEAR(profile.findings.response_cache->first_latency_ms, 20, 0.5);
  EXPECT_NEAR(profile.measurements->latency_p50_ms.value_or(0), 20, 0.5);
  EXPECT_TRUE(HasWarning(profile, "responseCache"));
  EXPECT_FALSE(HasWarning(profile, "coldRows")) << "once is enough";
}

TEST(FirstVisitsRunTest, ProveNothingOfTooFewDistinctRows) {
  ProfilingBench bench(CachingModel());
  const Profile profile = ProfileOf(bench, 40);
  EXPECT_EQ(profile.recommendation->requested.cpu(), Cores(1.0));
  EXPECT_FALSE(profile.recommendation->verified);
  const std::string message = WarningOf(profile, "unverified");
  EXPECT_NE(message.find("distinct rows"), std::string::npos) << message;
}

TEST(FirstVisitsRunTest, HoldWhatTheModelKeepsForEveryRowOfTheDataset) {
  FakeModel model;
  model.kept_per_row = KiB(64);
  ProfilingBench bench(model);
  const Profile profile = ProfileOf(bench, 800);  // 50 MiB of 200
  const InputGrowth growth = profile.findings.input_growth.value();
  EXPECT_EQ(growth.rows, 800);
  EXPECT_NEAR(growth.bytes_per_row, 65536, 3000);
  EXPECT_GE(profile.recommendation->requested.memory(), MiB(264));
  EXPECT_EQ(profile.recommendation->bounds.Find(ResourceKind::kMemory)->confidence,
            Confidence::kLow);
  const std::string message = WarningOf(profile, "growsWithInputs");
  EXPECT_NE(message.find("800 distinct rows"), std::string::npos) << message;
  EXPECT_NE(message.find("10000 distinct ones would take 625 MiB"), std::string::npos) << message;
  EXPECT_FALSE(HasWarning(profile, "leakSuspected"));
}

TEST(FirstVisitsRunTest, TakeALeakForNoCache) {
  FakeModel model;
  model.leak_per_row = KiB(16);
  ProfilingBench bench(model);
  const Profile profile = ProfileOf(bench, 800);
  EXPECT_TRUE(HasWarning(profile, "leakSuspected"));
  EXPECT_FALSE(HasWarning(profile, "growsWithInputs"));
}

void ExpectOrderDecides(const FakeModel& model) {
  ProfilingBench bench(model);
  bench.RegisterInputs(TextRows(20));
  ASSERT_TRUE(bench.service().Create("default", bench.Request("p", kBudget), {}).has_value());
  const Profile profile = bench.AwaitEnd("p");
  EXPECT_EQ(profile.state, ProfileState::kFailed);
  ASSERT_TRUE(profile.error);
  EXPECT_EQ(profile.error->code, "RowsFailed");
  EXPECT_NE(profile.error->message.find("the dataset's own order"), std::string::npos)
      << profile.error->message;
  EXPECT_FALSE(profile.recommendation);
}

TEST(FirstVisitsRunTest, NameTheOrderWhereRowsFailThatWereAnsweredInTheDatasetsOwn) {
  FakeModel model;
  model.wants_order = true;
  ExpectOrderDecides(model);
}

TEST(FirstVisitsRunTest, NameTheOrderWhereNoRowIsAnsweredAfterTheFirstPass) {
  FakeModel model;
  model.never_goes_back = true;
  ExpectOrderDecides(model);
}

}  // namespace
}  // namespace mlprof::server
