// Servers that fork: what kills a worker does not end the model, which starts another.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/server/profiling/profiling_bench.h"

namespace mlprof::server {
namespace {

const Limits kCeiling{Cores(2.0), GiB(3)};  // of the imitated host

FakeModel ForkingModel() {
  FakeModel model;
  model.forks = true;
  return model;
}

Profile RunProfile(ProfilingBench& bench, const ProfileRequest& request) {
  bench.RegisterInputs(TextRows(20));
  EXPECT_TRUE(bench.service().Create("default", request, {}).has_value());
  return bench.AwaitEnd("p");
}

Profile RunProfile(ProfilingBench& bench) {
  return RunProfile(bench, ProfilingBench::Request("p", kBudget));
}

std::string WarningText(const Profile& profile, const std::string& code) {
  for (const Warning& warning : profile.warnings) {
    if (warning.code == code) return warning.message;
  }
  return {};
}

std::ptrdiff_t LaunchesAtTheCeiling(const ProfilingBench& bench) {
  const auto launches = bench.runtime.launches();
  return std::count_if(launches.begin(), launches.end(),
                       [](const LaunchRequest& launch) { return launch.limits == kCeiling; });
}

void ExpectFirstLimitNamed(const FakeModel& model, Bytes ceiling) {
  ProfilingBench bench(model);
  ProfileRequest request = ProfilingBench::Request("p", kBudget);
  request.ceiling.memory = ceiling;
  const Profile profile = RunProfile(bench, request);
  EXPECT_EQ(profile.state, ProfileState::kFailed);
  ASSERT_TRUE(profile.error.has_value());
  EXPECT_EQ(profile.error->code, "OutOfMemory");
  EXPECT_NE(profile.error->message.find("it starts with 0.6"), std::string::npos)
      << profile.error->message;
}

TEST(ForkingModelTest, HasItsFirstLimitThatLoadsNamedHoweverOftenAWorkerIsKilled) {
  for (const int kills : {1, 2}) {
    FakeModel model = ForkingModel();
    model.start_peak = MiB(600);
    model.start_kills = kills;
    ExpectFirstLimitNamed(model, MiB(256));
  }
}

TEST(ForkingModelTest, DoesNotStartAtALimitThatKillsOneOfItsWorkers) {
  for (const Bytes ceiling : {MiB(256), MiB(512)}) {
    FakeModel model = ForkingModel();
    model.start_peak = MiB(600);
    model.start_kills = 1;
    model.first_worker_peak = MiB(300);
    ExpectFirstLimitNamed(model, ceiling);
  }
}

TEST(ForkingModelTest, DoesNotStartAtALimitThatKillsAWorkerOnceTheFirstOneServes) {
  FakeModel model = ForkingModel();
  model.start_peak = MiB(300);
  model.late_worker_peak = MiB(600);
  ExpectFirstLimitNamed(model, MiB(256));
}

TEST(ForkingModelTest, HasTheRowThatEndsAWorkerNamedAndLeftOutAndServesOn) {
  FakeModel model = ForkingModel();
  model.status = [](const std::string& row) { return row == "row 7" ? 0 : 200; };
  ProfilingBench bench(model);
  const Profile profile = RunProfile(bench);
  ASSERT_EQ(profile.state, ProfileState::kSucceeded)
      << (profile.error ? profile.error->message : "");
  EXPECT_EQ(profile.findings.killing_rows, std::vector<std::int64_t>{7});
  EXPECT_NE(WarningText(profile, "rowKills").find("went on without it"), std::string::npos);
  EXPECT_TRUE(profile.recommendation->verified);
  EXPECT_EQ(profile.recommendation->confidence, Confidence::kLow);
  EXPECT_EQ(profile.measurements->rows_replayed, 19);
  EXPECT_EQ(LaunchesAtTheCeiling(bench), 4);  // preflight, three cold starts
}

TEST(ForkingModelTest, HasEachOfTwoNeighboursThatEndWorkersNamed) {
  FakeModel model = ForkingModel();
  model.status = [](const std::string& row) { return row == "row 7" || row == "row 8" ? 0 : 200; };
  ProfilingBench bench(model);
  const Profile profile = RunProfile(bench);
  EXPECT_EQ(profile.state, ProfileState::kSucceeded);
  EXPECT_EQ(profile.findings.killing_rows, (std::vector<std::int64_t>{7, 8}));
}

TEST(ForkingModelTest, BlamesNoRowForTheDeathThatAnotherCaused) {
  FakeModel model = ForkingModel();
  model.status = [](const std::string& row) {
    if (row == "row 6" || row == "row 8") return -1;
    return row == "row 7" ? 0 : 200;
  };
  ProfilingBench bench(model);
  const Profile profile = RunProfile(bench);
  EXPECT_EQ(profile.findings.killing_rows, std::vector<std::int64_t>{7});
  EXPECT_FALSE(WarningText(profile, "rowsFailed").empty());
}

TEST(ForkingModelTest, FailsWhereEveryRowEndsAWorker) {
  FakeModel model = ForkingModel();
  model.status = [](const std::string&) { return 0; };
  ProfilingBench bench(model);
  const Profile profile = RunProfile(bench);
  EXPECT_EQ(profile.state, ProfileState::kFailed);
  ASSERT_TRUE(profile.error.has_value());
  EXPECT_EQ(profile.error->code, "ModelCrashed");
  EXPECT_NE(profile.error->message.find("last row it took was"), std::string::npos);
}

TEST(ForkingModelTest, LeavesTheMemoryOfARowThatAWorkerIsKilledForOutOfTheAnswer) {
  FakeModel model = ForkingModel();
  model.rise = [](const std::string& row) { return row == "row 7" ? GiB(8) : Bytes(); };
  ProfilingBench bench(model);
  const Profile profile = RunProfile(bench);
  ASSERT_EQ(profile.state, ProfileState::kSucceeded)
      << (profile.error ? profile.error->message : "");
  EXPECT_EQ(profile.findings.killing_rows, std::vector<std::int64_t>{7});
  EXPECT_NE(WarningText(profile, "rowKills").find("for memory"), std::string::npos);
  EXPECT_EQ(profile.recommendation->requested.memory(), MiB(224));
}

}  // namespace
}  // namespace mlprof::server
