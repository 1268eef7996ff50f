// Models that die at their start with the words of a read-only file system.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/server/profiling/profiling_bench.h"

namespace mlprof::server {
namespace {

constexpr std::chrono::seconds kShortBudget{60};

struct Outcome {
  Profile profile;
  std::vector<LaunchRequest> launches;
  std::vector<std::chrono::nanoseconds> limits;  // of each

  const Warning* warning() const {
    const auto& all = profile.warnings;
    const auto found = std::find_if(all.begin(), all.end(), [](const Warning& warning) {
      return warning.code == "writableFolder";
    });
    return found == all.end() ? nullptr : &*found;
  }
  ProfileError error() const { return profile.error.value_or(ProfileError{}); }
  std::string advice() const {
    std::string all;
    for (const std::string& line : error().advice) all += line + "\n";
    return all;
  }
  bool MayWrite(const std::string& folder) const {
    return std::any_of(launches.begin(), launches.end(), [&](const LaunchRequest& launch) {
      const auto& paths = launch.config.writable_paths;
      return std::find(paths.begin(), paths.end(), folder) != paths.end();
    });
  }
};

Outcome RunIt(const FakeModel& model, bool keep_root_read_only = false) {
  ProfilingBench bench(model, keep_root_read_only);
  bench.RegisterInputs(TextRows(20));
  EXPECT_TRUE(bench.service().Create("default", bench.Request("p", kShortBudget), {}).has_value());
  return {bench.AwaitEnd("p"), bench.runtime.launches(), bench.runtime.launch_limits()};
}

TEST(RefusedFolder, AModelThatMetIsGivenACopyOfThatFolderAndToldSo) {
  FakeModel model;
  model.writes = {{"/app/cache.db", "/app"}};
  model.log_comes_late = true;
  const Outcome outcome = RunIt(model);
  EXPECT_EQ(outcome.profile.state, ProfileState::kSucceeded);
  ASSERT_NE(outcome.warning(), nullptr);
  EXPECT_NE(outcome.warning()->message.find("writes to /app/cache.db"), std::string::npos);
  EXPECT_NE(outcome.warning()->advice.find("name /app in `writablePaths`"), std::string::npos);
}

TEST(RefusedFolder, ALaunchThatCopiesAFolderHasTheTimeForIt) {
  FakeModel model;
  model.writes = {{"/app/cache.db", "/app"}};
  const Outcome outcome = RunIt(model);
  ASSERT_TRUE(outcome.MayWrite("/app"));
  for (std::size_t i = 0; i < outcome.launches.size(); ++i) {
    const bool copies = !outcome.launches[i].config.writable_paths.empty();
    EXPECT_EQ(outcome.limits[i] > std::chrono::minutes(5), copies);
  }
}

TEST(RefusedFolder, AModelThatOnlySaysSoIsGivenNothing) {
  FakeModel model;
  model.says_read_only = true;
  const Outcome outcome = RunIt(model);
  EXPECT_EQ(outcome.profile.state, ProfileState::kFailed);
  EXPECT_EQ(outcome.error().code, "ModelExited");
  EXPECT_NE(outcome.error().message.find("none of its writes met a read-only file system"),
            std::string::npos)
      << outcome.error().message;
  EXPECT_EQ(outcome.warning(), nullptr);
  for (const LaunchRequest& launch : outcome.launches) {
    EXPECT_TRUE(launch.config.writable_paths.empty());
  }
}

TEST(RefusedFolder, AWatchedStartThatEndsOtherwiseSaysNothingOfTheFirst) {
  FakeModel model;
  model.writes = {{"/app/cache.db", "/app"}};
  model.exit_code_watched = 7;
  const Outcome outcome = RunIt(model);
  EXPECT_EQ(outcome.error().code, "ModelExited");
  EXPECT_EQ(outcome.error().message.find("none of its writes"), std::string::npos)
      << outcome.error().message;
  EXPECT_FALSE(outcome.MayWrite("/app"));
}

TEST(RefusedFolder, OfSeveralRefusedWritesTheOneThatTheLogNamesIsTaken) {
  FakeModel model;
  model.writes = {{"/app/cache.db", "/app"}};
  model.shrugged_off = {{"/opt/lib/__pycache__", "/opt/lib"}, {"/app/cache", "/app"}};
  model.last_words = "OSError: [Errno 30] Read-only file system: '/app/cache.db'\n";
  const Outcome outcome = RunIt(model);
  EXPECT_EQ(outcome.profile.state, ProfileState::kSucceeded);
  ASSERT_NE(outcome.warning(), nullptr);
  EXPECT_NE(outcome.warning()->message.find("writes to /app/cache.db,"), std::string::npos);
  EXPECT_FALSE(outcome.MayWrite("/opt/lib"));
}

TEST(RefusedFolder, WhereNothingCanBeSeenNothingIsGiven) {
  FakeModel model;
  model.writes = {{"/app/cache.db", "/app"}};
  model.cannot_be_watched = true;
  const Outcome outcome = RunIt(model);
  EXPECT_EQ(outcome.profile.state, ProfileState::kFailed);
  EXPECT_NE(outcome.error().message.find("cannot be watched: Operation not permitted"),
            std::string::npos);
  EXPECT_NE(outcome.advice().find("writablePaths"), std::string::npos);
  EXPECT_FALSE(outcome.MayWrite("/app"));
}

TEST(RefusedFolder, AServerThatForbidsItSaysSoAndNamesThePath) {
  FakeModel model;
  model.writes = {{"/app/cache.db", "/app"}};
  const Outcome outcome = RunIt(model, true);
  EXPECT_EQ(outcome.profile.state, ProfileState::kFailed);
  const std::string message = outcome.error().message;
  EXPECT_NE(message.find("/app/cache.db"), std::string::npos) << message;
  EXPECT_NE(message.find("--keep-root-read-only"), std::string::npos) << message;
  EXPECT_NE(outcome.advice().find("/tmp"), std::string::npos);
  EXPECT_NE(outcome.advice().find("name /app in `writablePaths`"), std::string::npos);
  EXPECT_FALSE(outcome.MayWrite("/app"));
}

TEST(RefusedFolder, SeveralFoldersAreFoundOneAfterAnother) {
  FakeModel model;
  model.writes = {{"/app/cache.db", "/app"}, {"/var/log/app/x", "/var/log/app"}};
  const Outcome outcome = RunIt(model);
  EXPECT_EQ(outcome.profile.state, ProfileState::kSucceeded);
  ASSERT_NE(outcome.warning(), nullptr);
  EXPECT_NE(outcome.warning()->message.find("/app/cache.db, /var/log/app/x"), std::string::npos);
}

TEST(RefusedFolder, ThereIsAnEndToThem) {
  FakeModel model;
  for (int i = 0; i < 20; ++i) {
    const std::string folder = "/opt/" + std::to_string(i);
    model.writes.push_back({folder + "/x", folder});
  }
  const Outcome outcome = RunIt(model);
  EXPECT_EQ(outcome.profile.state, ProfileState::kFailed);
  EXPECT_TRUE(outcome.MayWrite("/opt/3"));
  EXPECT_FALSE(outcome.MayWrite("/opt/4"));
}

TEST(RefusedFolder, WhatNoFolderCanHoldIsToldSo) {
  FakeModel model;
  model.writes = {{"/cache.db", ""}};
  Outcome outcome = RunIt(model);
  EXPECT_EQ(outcome.profile.state, ProfileState::kFailed);
  EXPECT_NE(outcome.error().message.find("refused to write to /cache.db, and the root"),
            std::string::npos);
  EXPECT_NE(outcome.advice().find("/tmp"), std::string::npos);
  EXPECT_NE(outcome.advice().find("if /cache.db is a folder, make it in the image"),
            std::string::npos);
  EXPECT_EQ(outcome.advice().find("writablePaths"), std::string::npos);
  const std::string models = outcome.launches.front().inputs.front().inside;
  model.writes = {{models + "/x", models}};
  outcome = RunIt(model);
  EXPECT_EQ(outcome.profile.state, ProfileState::kFailed);
  EXPECT_NE(outcome.error().message.find("mounted read-only"), std::string::npos);
  EXPECT_FALSE(outcome.MayWrite(models));
}

}  // namespace
}  // namespace mlprof::server
