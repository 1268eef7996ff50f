#include "server/profiling/phases/verify.h"

#include <gtest/gtest.h>

#include "tests/server/profiling/profiling_bench.h"

namespace mlprof::server::phases {
namespace {

Profile ProfileSlowRows(int rows) {
  FakeModel model;
  model.cpu_per_row = std::chrono::milliseconds(100);
  ProfilingBench bench(model);
  bench.RegisterInputs(TextRows(rows));
  const auto request = bench.Request("p", std::chrono::seconds(60));
  EXPECT_TRUE(bench.service().Create("default", request, {}).has_value());
  return bench.AwaitEnd("p");
}

bool Sampled(const Profile& profile) {
  for (const Warning& warning : profile.warnings) {
    if (warning.code == "rowsSampled") return true;
  }
  return false;
}

TEST(VerifyTest, HasLowConfidenceWhereNotEveryRowWasReplayed) {
  const Profile profile = ProfileSlowRows(600);
  ASSERT_EQ(profile.state, ProfileState::kSucceeded)
      << (profile.error ? profile.error->message : "");
  ASSERT_TRUE(Sampled(profile));
  ASSERT_TRUE(profile.recommendation->verified);
  EXPECT_EQ(profile.recommendation->bounds.Find(ResourceKind::kCpu)->confidence, Confidence::kLow);
  EXPECT_EQ(profile.recommendation->bounds.Find(ResourceKind::kMemory)->confidence,
            Confidence::kLow);
}

TEST(VerifyTest, HasMoreConfidenceWhereEveryRowWasReplayed) {
  const Profile profile = ProfileSlowRows(50);
  ASSERT_FALSE(Sampled(profile));
  ASSERT_TRUE(profile.recommendation->verified);
  EXPECT_NE(profile.recommendation->confidence, Confidence::kLow);
}

}  // namespace
}  // namespace mlprof::server::phases
