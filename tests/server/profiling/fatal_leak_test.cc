// Models whose memory outruns the run that measures them.
#include <gtest/gtest.h>

#include "tests/server/profiling/profiling_bench.h"

namespace mlprof::server {
namespace {

Profile ProfiledWith(const FakeModel& model, Bytes ceiling, int rows = 20) {
  ProfilingBench bench(model);
  bench.RegisterInputs(TextRows(rows));
  ProfileRequest request = ProfilingBench::Request("p", kBudget);
  request.ceiling.memory = ceiling;
  EXPECT_TRUE(bench.service().Create("default", request, {}).has_value());
  return bench.AwaitEnd("p");
}

FakeModel Leaking(Bytes per_row) {
  FakeModel model;
  model.leak_per_row = per_row;
  return model;
}

void ExpectTold(const Profile& profile, double bytes_per_request) {
  EXPECT_EQ(profile.state, ProfileState::kFailed);
  ASSERT_TRUE(profile.error);
  EXPECT_EQ(profile.error->code, "OutOfMemory");
  EXPECT_NE(profile.error->message.find("a request"), std::string::npos) << profile.error->message;
  EXPECT_EQ(profile.error->message.find("last row"), std::string::npos) << profile.error->message;
  EXPECT_TRUE(HasWarning(profile, "leakSuspected"));
  EXPECT_FALSE(profile.recommendation);
  ASSERT_TRUE(profile.findings.memory);
  EXPECT_EQ(profile.findings.memory->trend, MemoryTrend::kGrowing);
  EXPECT_NEAR(profile.findings.memory->bytes_per_request.value_or(0), bytes_per_request,
              0.05 * bytes_per_request);
}

TEST(FatalLeakTest, IsToldWhereItReachesTheCeilingUnderLoad) {
  // 500 rows a second: the ceiling after 11 s of serving, seven of them under load.
  ExpectTold(ProfiledWith(Leaking(KiB(256)), MiB(1536)), 256 * 1024);
}

TEST(FatalLeakTest, IsToldOfAModelThatTheKernelSlowsBeforeItDies) {
  FakeModel model = Leaking(KiB(256));
  model.hot_file = MiB(160);  // read from the disk again with each of the last 640 rows
  ExpectTold(ProfiledWith(model, MiB(1536)), 256 * 1024);
}

TEST(FatalLeakTest, IsToldWhereItReachesTheCeilingWithinTheWarmUp) {
  ExpectTold(ProfiledWith(Leaking(MiB(1)), GiB(1)), 1024 * 1024);
}

TEST(FatalLeakTest, IsToldOfAServerWhoseWorkersAreReplacedAsTheyDie) {
  FakeModel model = Leaking(MiB(1));
  model.forks = true;
  const Profile profile = ProfiledWith(model, GiB(1));
  EXPECT_EQ(profile.error ? profile.error->code : "", "OutOfMemory");
  EXPECT_TRUE(HasWarning(profile, "leakSuspected"));
  EXPECT_FALSE(HasWarning(profile, "rowKills"));
}

TEST(FatalLeakTest, IsToldOfAServerWhoseWorkersAreReplacedUnderLoad) {
  FakeModel model = Leaking(KiB(256));
  model.forks = true;
  const Profile profile = ProfiledWith(model, MiB(1536));
  EXPECT_EQ(profile.error ? profile.error->code : "", "OutOfMemory");
  EXPECT_TRUE(HasWarning(profile, "leakSuspected"));
}

TEST(FatalLeakTest, IsNotCriedOfARowThatTheCeilingDoesNotHold) {
  FakeModel model;
  model.rise = [](const std::string& row) { return row == "row 17" ? GiB(3) : Bytes(); };
  const Profile profile = ProfiledWith(model, GiB(2));
  EXPECT_EQ(profile.state, ProfileState::kFailed);
  EXPECT_EQ(profile.error->code, "OutOfMemory");
  EXPECT_FALSE(HasWarning(profile, "leakSuspected"));
}

TEST(FatalLeakTest, AModelThatOutgrowsTheRunGetsAFreshContainerAndAnAnswer) {
  // 32 MiB a second: within the ceiling while memory is watched, beyond it with all that follows.
  const Profile profile = ProfiledWith(Leaking(KiB(64)), MiB(2560));
  ASSERT_EQ(profile.state, ProfileState::kSucceeded)
      << (profile.error ? profile.error->message : "");
  EXPECT_TRUE(HasWarning(profile, "leakSuspected"));
  EXPECT_TRUE(profile.recommendation.has_value());
}

TEST(FatalLeakTest, LeavesNoAnswerBelowWhatWasMeasured) {
  // Containers at limits serve for seconds, which less would hold.
  const Profile profile = ProfiledWith(Leaking(KiB(16)), GiB(4));
  ASSERT_TRUE(profile.recommendation && profile.findings.memory);
  EXPECT_TRUE(HasWarning(profile, "leakSuspected"));
  EXPECT_GE(profile.recommendation->requested.memory(),
            profile.findings.memory->serving_peak.value_or(GiB(64)));
}

// p95 at the first limit that the search tries.
double FirstProbeMs(const FakeModel& model) {
  ProfilingBench bench(model);
  bench.RegisterInputs(TextRows(20));
  ProfileRequest request = ProfilingBench::Request("p", kBudget);
  request.ceiling.memory = MiB(2560);
  EXPECT_TRUE(bench.service().Create("default", request, {}).has_value());
  bench.AwaitEnd("p");
  const auto trials = bench.service().Trials("default", "p");
  if (!trials) return 0;
  const auto warm_ups = std::count_if(trials->begin(), trials->end(), [](const Trial& trial) {
    return trial.purpose == TrialPurpose::kWarmUp;
  });
  EXPECT_EQ(warm_ups, 4) << "first visits and later ones, in each of two containers";
  const auto probe = std::find_if(trials->begin(), trials->end(), [](const Trial& trial) {
    return trial.purpose == TrialPurpose::kCpuProbe;
  });
  return probe == trials->end() ? 0 : probe->measurements.latency_p95_ms.value_or(0);
}

TEST(FatalLeakTest, AFreshContainerIsWarmBeforeALimitIsJudgedInIt) {
  FakeModel model = Leaking(KiB(256));
  model.cpu_per_row = std::chrono::microseconds(200);
  model.sleep_per_row = std::chrono::milliseconds(8);
  const double usual = FirstProbeMs(model);
  EXPECT_GT(usual, 8);
  model.first_visit_cpu = std::chrono::milliseconds(12);
  EXPECT_NEAR(FirstProbeMs(model), usual, 0.1);
}

}  // namespace
}  // namespace mlprof::server
