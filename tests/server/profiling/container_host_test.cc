// Containers that run on another machine than the one the runtime told of before there were any.
#include <gtest/gtest.h>

#include "tests/server/profiling/profiling_bench.h"

namespace mlprof::server {
namespace {

Profile RunToAnAnswer(ProfilingBench& bench) {
  bench.RegisterInputs(TextRows(20));
  EXPECT_TRUE(bench.service().Create("default", bench.Request("p", kBudget), {}).has_value());
  Profile profile = bench.AwaitEnd("p");
  EXPECT_EQ(profile.state, ProfileState::kSucceeded);
  return profile;
}

TEST(ContainerHostTest, IsTheOneThatTheProfileTellsOf) {
  ProfilingBench bench;
  HostFacts node;
  node.cpu_model = "node";
  node.cores = 6;
  node.memory = GiB(32);
  bench.runtime.container_host = node;
  const Profile profile = RunToAnAnswer(bench);
  ASSERT_TRUE(profile.host);
  EXPECT_EQ(profile.host->cpu_model, "node");
  EXPECT_EQ(profile.host->cores, 6);
  EXPECT_EQ(profile.host->memory, GiB(32));
  EXPECT_EQ(profile.host->noise, "quiet");
}

// A tenth of a core of other work for each core is no noise.
TEST(ContainerHostTest, IsJudgedByItsOwnCores) {
  ProfilingBench bench;
  bench.busy_cores = 1.3;
  EXPECT_TRUE(HasWarning(RunToAnAnswer(bench), "noisyHost"));
  ProfilingBench large;
  large.busy_cores = 1.3;
  large.runtime.container_host = HostFacts{"node", 64, GiB(32), 2, true, ""};
  EXPECT_FALSE(HasWarning(RunToAnAnswer(large), "noisyHost"));
}

TEST(ContainerHostTest, IsNotCalledQuietWhereNobodyTellsItsLoad) {
  ProfilingBench bench;
  bench.runtime.host_load = []() -> Result<HostLoad> {
    return Fail(Unavailable("the node does not tell"));
  };
  const Profile profile = RunToAnAnswer(bench);
  ASSERT_TRUE(profile.host);
  EXPECT_EQ(profile.host->noise, "");
  EXPECT_FALSE(HasWarning(profile, "noisyHost"));
  ASSERT_TRUE(HasWarning(profile, "hostLoadUnknown"));
  EXPECT_TRUE(profile.recommendation->verified);
}

}  // namespace
}  // namespace mlprof::server
