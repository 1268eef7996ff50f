// Models that fewer cores make faster, as whole profiles.
#include <gtest/gtest.h>

#include "tests/server/profiling/profiling_bench.h"

namespace mlprof::server {
namespace {

// Rows of 2 ms, with more than one core of so much more.
Profile ProfileOfRowsThatContend(std::chrono::microseconds more) {
  FakeModel model;
  model.contention = more;
  ProfilingBench bench(model);
  bench.RegisterInputs(TextRows(20));
  const auto request = bench.Request("p", std::chrono::seconds(300));
  EXPECT_TRUE(bench.service().Create("default", request, {}).has_value());
  return bench.AwaitEnd("p");
}

TEST(FewerCoresTest, AModelThatIsFasterWithFewerIsProvenAndToldSo) {
  const Profile profile = ProfileOfRowsThatContend(std::chrono::milliseconds(1));
  ASSERT_EQ(profile.state, ProfileState::kSucceeded);
  ASSERT_TRUE(profile.recommendation);
  EXPECT_TRUE(profile.recommendation->verified);
  EXPECT_LE(profile.recommendation->requested.cpu(), Cores(1.0));
  EXPECT_TRUE(HasWarning(profile, "fasterWithFewerCores"));
}

TEST(FewerCoresTest, AModelOfOneThreadIsNotToldThatItIsFasterWithFewer) {
  const Profile profile = ProfileOfRowsThatContend(std::chrono::microseconds(0));
  ASSERT_TRUE(profile.recommendation);
  EXPECT_FALSE(HasWarning(profile, "fasterWithFewerCores"));
}

}  // namespace
}  // namespace mlprof::server
