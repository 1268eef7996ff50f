#include <gtest/gtest.h>

#include <algorithm>

#include "tests/server/profiling/profiling_bench.h"

namespace mlprof::server {
namespace {

TEST(ProfileRunTest, FindsAndVerifiesTheNeedOfAKnownModel) {
  ProfilingBench bench;
  bench.RegisterInputs(TextRows(20));
  ASSERT_TRUE(bench.service().Create("default", bench.Request("p", kBudget), {}).has_value());
  const Profile profile = bench.AwaitEnd("p");
  ASSERT_EQ(profile.state, ProfileState::kSucceeded)
      << (profile.error ? profile.error->message : "");
  ASSERT_TRUE(profile.recommendation.has_value());
  EXPECT_TRUE(profile.recommendation->verified);
  // One core kept busy by one row after the other; 200 MiB × 1.1, rounded up to 16 MiB.
  EXPECT_EQ(profile.recommendation->requested.cpu(), Cores(1.0));
  EXPECT_EQ(profile.recommendation->requested.memory(), MiB(224));
  EXPECT_EQ(profile.measurements->rows_replayed, 20);
  EXPECT_EQ(profile.measurements->max_utilized_memory, MiB(200));
  EXPECT_EQ(profile.measurements->measured_at, profile.recommendation->requested);
  EXPECT_EQ(bench.runtime.running(), 0);

  // Three containers of their own held it at exactly its limits, and one step lower did not hold.
  const auto launches = bench.runtime.launches();
  EXPECT_GE(std::count_if(launches.begin(), launches.end(),
                          [&](const LaunchRequest& launch) {
                            return launch.limits == profile.recommendation->requested;
                          }),
            3);
  EXPECT_EQ(profile.recommendation->tight, true);
  EXPECT_EQ(profile.recommendation->bounds.Find(ResourceKind::kMemory)->low, MiB(192));
  EXPECT_EQ(profile.recommendation->bounds.Find(ResourceKind::kCpu)->low, Cores(0.9));
  EXPECT_EQ(bench.service().Rows("default", "p")->size(), 20U);
  EXPECT_FALSE(bench.service().Samples("default", "p", {})->empty());
  EXPECT_NE(bench.service().Logs("default", "p")->find("preparing"), std::string::npos);
}

TEST(ProfileRunTest, AsksForNoMoreThanTheLoadUsesWhereRowsWorkOnAfterTheirResponse) {
  FakeModel model;
  model.cpu_after_row = std::chrono::microseconds(600);
  ProfilingBench bench(model);
  bench.RegisterInputs(TextRows(20));
  ASSERT_TRUE(bench.service().Create("default", bench.Request("p", kBudget), {}).has_value());
  const Profile profile = bench.AwaitEnd("p");
  ASSERT_EQ(profile.state, ProfileState::kSucceeded);
  EXPECT_EQ(profile.recommendation->requested.cpu(), Cores(1.0));
  EXPECT_EQ(profile.recommendation->tight, true);
}

TEST(ProfileRunTest, AppliesTheAnswerAsTags) {
  ProfilingBench bench;
  bench.RegisterInputs(TextRows(20));
  ASSERT_TRUE(bench.service().Create("default", bench.Request("p", kBudget), {}).has_value());
  EXPECT_FALSE(bench.service().Apply("default", "p").has_value());
  const Profile profile = bench.AwaitEnd("p");
  ASSERT_TRUE(bench.service().Apply("default", "p").has_value());
  const auto tags = bench.models().Get("default", "m")->tags;
  EXPECT_EQ(tags, RecommendationTags(*profile.recommendation));
}

TEST(ProfileRunTest, FailsWithTheFirstBodyWhenEveryRowFails) {
  FakeModel model;
  model.status = [](const std::string&) { return 404; };
  ProfilingBench bench(model);
  bench.RegisterInputs(TextRows(20));
  ASSERT_TRUE(bench.service().Create("default", bench.Request("p", kBudget), {}).has_value());
  const Profile profile = bench.AwaitEnd("p");
  EXPECT_EQ(profile.state, ProfileState::kFailed);
  EXPECT_EQ(profile.error->code, "RowsFailed");
  EXPECT_EQ(profile.error->evidence, "no such thing");
  EXPECT_FALSE(profile.recommendation.has_value());
}

TEST(ProfileRunTest, GivesAnUnverifiedAnswerWhenSomeRowsFail) {
  FakeModel model;
  model.status = [](const std::string& row) { return row == "row 7" ? 500 : 200; };
  ProfilingBench bench(model);
  bench.RegisterInputs(TextRows(20));
  ASSERT_TRUE(bench.service().Create("default", bench.Request("p", kBudget), {}).has_value());
  const Profile profile = bench.AwaitEnd("p");
  ASSERT_EQ(profile.state, ProfileState::kSucceeded);
  EXPECT_FALSE(profile.recommendation->verified);
  EXPECT_TRUE(HasWarning(profile, "rowsFailed"));
  EXPECT_TRUE(HasWarning(profile, "unverified"));
}

TEST(ProfileRunTest, LeavesOutTheRowThatEndsTheModelAndNamesIt) {
  FakeModel model;
  model.status = [](const std::string& row) { return row == "row 7" ? 0 : 200; };
  ProfilingBench bench(model);
  bench.RegisterInputs(TextRows(20));
  ASSERT_TRUE(bench.service().Create("default", bench.Request("p", kBudget), {}).has_value());
  const Profile profile = bench.AwaitEnd("p");
  ASSERT_EQ(profile.state, ProfileState::kSucceeded);
  EXPECT_EQ(profile.findings.killing_rows, std::vector<std::int64_t>{7});
  EXPECT_TRUE(HasWarning(profile, "rowKills"));
  EXPECT_EQ(profile.recommendation->confidence, Confidence::kLow);
  EXPECT_EQ(profile.measurements->rows_replayed, 19);
}

// The row in flight is not to blame, and a container in its place would only find no room.
TEST(ProfileRunTest, FailsForADiskThatRanFullAndBlamesNoRow) {
  FakeModel model;
  model.status = [](const std::string& row) { return row == "row 7" ? 0 : 200; };
  model.killed_for_disk = KilledForDisk();
  ProfilingBench bench(model);
  bench.RegisterInputs(TextRows(20));
  ASSERT_TRUE(bench.service().Create("default", bench.Request("p", kBudget), {}).has_value());
  const Profile profile = bench.AwaitEnd("p");
  ASSERT_EQ(profile.state, ProfileState::kFailed);
  EXPECT_EQ(profile.error->code, "DiskFull");
  EXPECT_TRUE(profile.findings.killing_rows.empty());
}

TEST(ProfileRunTest, NamesTheRowWhoseDeathIsHeardOfAfterItsReplayEnded) {
  FakeModel model;
  // 2 ms a row: row 499 is the last of the first window of a second. Rows behind it break too.
  model.status = [](const std::string& row) { return row == "row 499" ? 0 : 200; };
  model.resets_first = true;
  ProfilingBench bench(model);
  bench.RegisterInputs(TextRows(500));
  ASSERT_TRUE(bench.service().Create("default", bench.Request("p", kBudget), {}).has_value());
  const Profile profile = bench.AwaitEnd("p");
  ASSERT_EQ(profile.state, ProfileState::kSucceeded)
      << (profile.error ? profile.error->message : "");
  EXPECT_EQ(profile.findings.killing_rows, std::vector<std::int64_t>{499});
}

TEST(ProfileRunTest, NamesTheRowThatBrokeFirstOfThoseThatBroke) {
  FakeModel model;
  model.status = [](const std::string& row) { return row == "row 7" ? 0 : 200; };
  model.resets_first = true;
  ProfilingBench bench(model);
  bench.RegisterInputs(TextRows(20));
  ASSERT_TRUE(bench.service().Create("default", bench.Request("p", kBudget), {}).has_value());
  const Profile profile = bench.AwaitEnd("p");
  ASSERT_EQ(profile.state, ProfileState::kSucceeded)
      << (profile.error ? profile.error->message : "");
  EXPECT_EQ(profile.findings.killing_rows, std::vector<std::int64_t>{7});
}

TEST(ProfileRunTest, NamesTheCrashOfAModelThatEveryRowEnds) {
  FakeModel model;
  model.status = [](const std::string&) { return 0; };
  ProfilingBench bench(model);
  bench.RegisterInputs(TextRows(20));
  ASSERT_TRUE(bench.service().Create("default", bench.Request("p", kBudget), {}).has_value());
  const Profile profile = bench.AwaitEnd("p");
  EXPECT_EQ(profile.state, ProfileState::kFailed);
  EXPECT_EQ(profile.error->code, "ModelCrashed");
  EXPECT_NE(profile.error->message.find("last row it took was"), std::string::npos);
}

TEST(ProfileRunTest, CountsASpikeBetweenTwoSamplesAndNamesItsRow) {
  FakeModel model;
  model.rise = [](const std::string& row) { return row == "row 7" ? MiB(500) : Bytes(); };
  ProfilingBench bench(model);
  bench.RegisterInputs(TextRows(20));
  ASSERT_TRUE(bench.service().Create("default", bench.Request("p", kBudget), {}).has_value());
  const Profile profile = bench.AwaitEnd("p");
  ASSERT_EQ(profile.state, ProfileState::kSucceeded);
  EXPECT_EQ(profile.measurements->max_utilized_memory, MiB(700));
  EXPECT_EQ(profile.recommendation->requested.memory(), MiB(784));
  ASSERT_FALSE(profile.findings.heavy_rows.empty());
  EXPECT_EQ(profile.findings.heavy_rows.front().row, 7);
  EXPECT_EQ(profile.findings.heavy_rows.front().why, "memory");
}

TEST(ProfileRunTest, SuspectsALeakAndSaysHowMuchARequest) {
  FakeModel model;
  model.leak_per_row = KiB(64);
  ProfilingBench bench(model);
  bench.RegisterInputs(TextRows(20));
  ASSERT_TRUE(bench.service().Create("default", bench.Request("p", kBudget), {}).has_value());
  const Profile profile = bench.AwaitEnd("p");
  EXPECT_TRUE(HasWarning(profile, "leakSuspected"));
  ASSERT_TRUE(profile.findings.memory.has_value());
  EXPECT_EQ(profile.findings.memory->trend, MemoryTrend::kGrowing);
  EXPECT_NEAR(profile.findings.memory->bytes_per_request.value_or(0), 65536, 3000);
}

TEST(ProfileRunTest, SaysWhatTheReplayItselfCanDo) {
  ProfilingBench bench;
  bench.RegisterInputs(TextRows(20));
  ASSERT_TRUE(bench.service().Create("default", bench.Request("p", kBudget), {}).has_value());
  const Profile profile = bench.AwaitEnd("p");
  ASSERT_TRUE(profile.findings.replay.has_value());
  EXPECT_NEAR(profile.findings.replay->requests_per_second, 10'000, 1000);
}

TEST(ProfileRunTest, NamesTheFirstLimitThatLoadsAboveTheCeiling) {
  FakeModel model;
  model.start_peak = MiB(600);
  ProfilingBench bench(model);
  bench.RegisterInputs(TextRows(20));
  ProfileRequest request = bench.Request("p", kBudget);
  request.ceiling.memory = MiB(256);
  ASSERT_TRUE(bench.service().Create("default", request, {}).has_value());
  const Profile profile = bench.AwaitEnd("p");
  EXPECT_EQ(profile.state, ProfileState::kFailed);
  EXPECT_EQ(profile.error->code, "OutOfMemory");
  EXPECT_NE(profile.error->message.find("it starts with 0.6"), std::string::npos)
      << profile.error->message;
  EXPECT_NE(profile.error->advice.front().find("--memory-gb 0.6"), std::string::npos);
}

TEST(ProfileRunTest, NamesTheMemoryThatDoesNotFitTheCeiling) {
  FakeModel model;
  model.start_peak = GiB(9);
  ProfilingBench bench(model);
  bench.RegisterInputs(TextRows(20));
  ASSERT_TRUE(bench.service().Create("default", bench.Request("p", kBudget), {}).has_value());
  EXPECT_EQ(bench.AwaitEnd("p").error->code, "OutOfMemory");
}

TEST(ProfileRunTest, KeepsTheLatencyObjectiveWithLessThanTheMeasuredUse) {
  ProfilingBench bench;
  bench.RegisterInputs(TextRows(20));
  ProfileRequest request = bench.Request("p", kBudget);
  request.objective.latency_ms = {{"p95", 9.0}};  // 2 ms of CPU: 0.3 cores hold it (6.7 ms)
  ASSERT_TRUE(bench.service().Create("default", request, {}).has_value());
  const Profile profile = bench.AwaitEnd("p");
  ASSERT_EQ(profile.state, ProfileState::kSucceeded);
  EXPECT_EQ(profile.recommendation->requested.cpu(), Cores(0.3));
  EXPECT_TRUE(profile.recommendation->verified);
}

TEST(ProfileRunTest, TimesOutWhereNoRowGetsAResponseWithinTheBudget) {
  FakeModel model;
  *model.silent = true;
  ProfilingBench bench(model);
  bench.RegisterInputs(TextRows(20));
  const auto created = bench.service().Create("default", bench.Request("p", kBudget), {});
  bench.AwaitPhase(created->profile.id, "warmUp");
  bench.runtime.PassTime(kBudget);
  const Profile profile = bench.AwaitEnd("p");
  EXPECT_EQ(profile.state, ProfileState::kTimedOut);
  EXPECT_EQ(profile.error->code, "BudgetUsedUp");
  EXPECT_FALSE(profile.recommendation.has_value());
}

TEST(ProfileRunTest, KeepsNoAnswerOfAModelThatDiesUnderLoad) {
  FakeModel model;
  const auto seen = std::make_shared<std::atomic<int>>(0);
  // After the warm-up (at least 150 rows) and the row pass.
  model.status = [seen](const std::string&) { return ++*seen > 3000 ? 0 : 200; };
  ProfilingBench bench(model);
  bench.RegisterInputs(TextRows(20));
  ASSERT_TRUE(bench.service().Create("default", bench.Request("p", kBudget), {}).has_value());
  const Profile profile = bench.AwaitEnd("p");
  EXPECT_EQ(profile.state, ProfileState::kFailed);
  EXPECT_TRUE(profile.measurements.has_value());
  EXPECT_FALSE(profile.recommendation.has_value());
}

TEST(ProfileRunTest, FailsWithTheEnginesOwnWords) {
  ProfilingBench bench;
  bench.RegisterInputs(TextRows(20));
  bench.runtime.FailNextPrepare(InvalidArgument("pip could not reach its index"));
  ASSERT_TRUE(bench.service().Create("default", bench.Request("p", kBudget), {}).has_value());
  const Profile profile = bench.AwaitEnd("p");
  EXPECT_EQ(profile.error->code, "PrepareFailed");
  EXPECT_NE(profile.error->message.find("pip could not reach"), std::string::npos);
}

TEST(ProfileRunTest, CancelsARunningAndAQueuedProfile) {
  FakeModel model;
  *model.silent = true;
  ProfilingBench bench(model);
  bench.RegisterInputs(TextRows(20));
  const auto running = bench.service().Create("default", bench.Request("a", kBudget), {});
  ASSERT_TRUE(bench.service().Create("default", bench.Request("b", kBudget), {}).has_value());
  bench.AwaitPhase(running->profile.id, "warmUp");
  ASSERT_TRUE(bench.service().Cancel("default", "b").has_value());
  EXPECT_EQ(bench.service().Get("default", "b")->state, ProfileState::kCanceled);
  ASSERT_TRUE(bench.service().Cancel("default", "a").has_value());
  EXPECT_EQ(bench.AwaitEnd("a").state, ProfileState::kCanceled);
  EXPECT_EQ(bench.service().Cancel("default", "a").error().code(), ErrorCode::kConflict);
  EXPECT_EQ(bench.runtime.running(), 0);
}

TEST(ProfileRunTest, RunsAgainWhatTheServerStoppedUnder) {
  FakeModel model;
  *model.silent = true;
  ProfilingBench bench(model);
  bench.RegisterInputs(TextRows(20));
  const auto created = bench.service().Create("default", bench.Request("p", kBudget), {});
  bench.AwaitPhase(created->profile.id, "warmUp");
  bench.Close();
  *model.silent = false;
  bench.Restart();
  EXPECT_EQ(bench.AwaitEnd("p").state, ProfileState::kSucceeded);
}

TEST(ProfileRunTest, FailsWhatAPrivateServerLeft) {
  FakeModel model;
  *model.silent = true;
  ProfilingBench bench(model);
  bench.RegisterInputs(TextRows(20));
  const auto created = bench.service().Create("default", bench.Request("p", kBudget), {});
  bench.AwaitPhase(created->profile.id, "warmUp");
  bench.Restart(InterruptedPolicy::kFail);
  const Profile profile = bench.AwaitEnd("p");
  EXPECT_EQ(profile.state, ProfileState::kFailed);
  EXPECT_EQ(profile.error->code, "Interrupted");
}

TEST(ProfileServiceTest, NamesEveryBadFieldOfARequest) {
  ProfilingBench bench;
  ProfileRequest request = bench.Request("p", kBudget);
  request.inference_config.reset();
  const auto created = bench.service().Create("default", request, {});
  ASSERT_FALSE(created.has_value());
  std::vector<std::string> pointers;
  for (const FieldError& field : created.error().fields()) pointers.push_back(field.pointer);
  EXPECT_EQ(pointers,
            (std::vector<std::string>{"/modelIds/0", "/inputDatasetId", "/inferenceConfig"}));
}

TEST(ProfileServiceTest, SaysWhatComesWithALaterVersion) {
  ProfilingBench bench;
  bench.RegisterInputs(TextRows(20));
  ProfileRequest request = bench.Request("p", kBudget);
  request.accelerator.type = AcceleratorType::kGpu;
  EXPECT_EQ(bench.service().Create("default", request, {}).error().code(),
            ErrorCode::kNotAvailable);
}

}  // namespace
}  // namespace mlprof::server
