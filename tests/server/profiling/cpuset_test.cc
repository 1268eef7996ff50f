// The model is kept off the cores of what drives it, in every phase alike.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/text/cpuset.h"
#include "server/analysis/thread_pools.h"
#include "server/profiling/lab/core_split.h"
#include "server/profiling/phases/thread_pools.h"
#include "server/profiling/run/inputs.h"
#include "server/profiling/run/warnings.h"
#include "tests/server/profiling/profiling_bench.h"

namespace mlprof::server {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Not;

HostFacts HostOf(int cores) {
  HostFacts host;
  host.cores = cores;
  host.memory = GiB(64);
  return host;
}

// As the server splits a host without hyper-threads.
Cpuset ModelsShare(int cores) {
  CoreSiblings siblings;
  for (int core = 0; core < cores; ++core) siblings.push_back({core});
  const auto split = SplitCores(siblings);
  if (!split) return Cpuset::Whole(cores);
  return {CpusetText(split->model), static_cast<int>(split->model.size())};
}

RunFacts FactsOn(int cores, double cores_used, const Ceiling& asked = {}) {
  RunFacts facts;
  facts.host = ChooseWithin(HostOf(cores), ModelsShare(cores), asked);
  facts.warm_up.emplace();
  facts.row_pass.emplace();
  facts.load.emplace().need.cores = cores_used;
  return facts;
}

TEST(CpusetTest, EveryContainerOfAProfileRunsOnTheSameCores) {
  ProfilingBench bench;
  bench.runtime.SetCores(8);
  bench.cpuset_of = &ModelsShare;
  bench.Restart();
  bench.RegisterInputs(TextRows(20));
  ASSERT_TRUE(bench.service().Create("default", bench.Request("p", std::chrono::seconds(300)), {}));
  const Profile profile = bench.AwaitEnd("p");
  ASSERT_TRUE(profile.recommendation && profile.recommendation->verified);
  const auto launches = bench.runtime.launches();
  EXPECT_GE(launches.size(), 8U);  // starts, proof and one step lower among them
  EXPECT_THAT(launches, Each(Field(&LaunchRequest::cpuset, "0-5")));
  EXPECT_THAT(profile.warnings, Not(Contains(Field(&Warning::code, "sharedCores"))));
  EXPECT_EQ(profile.request.ceiling.cpu, Cores(6.0));
}

TEST(CpusetTest, TheCeilingIsWhatTheModelCanUse) {
  EXPECT_EQ(FactsOn(2, 1).host.ceiling.cpu(), Cores(2.0));
  EXPECT_EQ(FactsOn(8, 1).host.ceiling.cpu(), Cores(6.0));
  EXPECT_EQ(FactsOn(64, 1).host.ceiling.cpu(), Cores(48.0));
  Ceiling asked;
  asked.cpu = Cores(4.0);
  EXPECT_EQ(FactsOn(8, 1, asked).host.ceiling.cpu(), Cores(4.0));
  EXPECT_FALSE(FactsOn(8, 1, asked).host.asked_for_more);
  asked.cpu = Cores(8.0);
  EXPECT_THAT(WarningsOf(FactsOn(8, 1, asked), std::nullopt),
              Contains(Field(&Warning::code, "ceilingLowered")));
}

TEST(CpusetTest, SharedCoresAreWarnedOfWhereTheyAreShared) {
  EXPECT_THAT(WarningsOf(FactsOn(2, 1), std::nullopt),
              Contains(Field(&Warning::code, "sharedCores")));
  EXPECT_THAT(WarningsOf(FactsOn(8, 1), std::nullopt),
              Not(Contains(Field(&Warning::code, "sharedCores"))));
}

TEST(CpusetTest, AModelThatWantsMoreThanItsCoresIsWarnedOf) {
  EXPECT_THAT(WarningsOf(FactsOn(8, 5.5), std::nullopt),
              Not(Contains(Field(&Warning::code, "cpusetExceeded"))));
  EXPECT_THAT(WarningsOf(FactsOn(8, 7.0), std::nullopt),
              Contains(Field(&Warning::message, HasSubstr("the model had 6 of this host's 8"))));
  EXPECT_THAT(WarningsOf(FactsOn(64, 50.0), std::nullopt),
              Contains(Field(&Warning::message, HasSubstr("the model had 48 of this host's 64"))));
  Ceiling asked;
  asked.cpu = Cores(2.0);  // which is what binds it
  EXPECT_THAT(WarningsOf(FactsOn(8, 7.0, asked), std::nullopt),
              Not(Contains(Field(&Warning::code, "cpusetExceeded"))));
}

// libgomp makes as many threads as it may run on, a server as many workers as the machine has.
TEST(CpusetTest, PoolsAreSuspectedBySizeOfTheSetAndOfTheHost) {
  agent_protocol::Ready ready;
  ready.threads = 48;
  ready.processes = 1;
  ready.thread_pools = {"libgomp"};
  phases::CpuChoice choice;
  choice.cpu = Cores(2.0);
  choice.throttled_share = 0.5;
  InferenceConfig config;
  config.service = ImageConfig{};
  const Cpuset set = ModelsShare(64);
  EXPECT_TRUE(PoolsSuspected(phases::SeePools(config, ready, 0, choice, set, 64)));
  EXPECT_FALSE(PoolsSuspected(phases::SeePools(config, ready, 0, choice, Cpuset::Whole(64), 64)));
  ready = {};
  ready.processes = ready.threads = 65;
  EXPECT_TRUE(PoolsSuspected(phases::SeePools(config, ready, 0, choice, set, 64)));
}

}  // namespace
}  // namespace mlprof::server
