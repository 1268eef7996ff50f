#include "server/azure/documents/profile_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/some_measurements.h"
#include "tests/golden/golden.h"
#include "tests/server/azure/parsed.h"

namespace mlprof::server {
namespace {

Profile AzProfile(ProfileState state) {
  Profile profile;
  profile.id = "0123";
  profile.workspace = "default";
  profile.state = state;
  profile.created = *ParseTimestamp("2026-01-02T03:04:05.678Z");
  profile.request.name = "p1";
  profile.request.model_ids = {"sentiment:1"};
  profile.request.input_dataset_id = "requests:1";
  return profile;
}

Profile AnsweredAzProfile(bool verified) {
  Profile profile = AzProfile(ProfileState::kSucceeded);
  profile.recommendation.emplace().requested = {Cores(0.4), MiB(512)};
  profile.recommendation->verified = verified;
  profile.measurements = fakes::SomeMeasurements();
  return profile;
}

Json Az(const Profile& profile, const Json& asked = nullptr) {
  return EncodeAzProfile(profile, asked);
}

TEST(AzProfile, HasEveryKeyOfASerializedProfile) {
  Profile profile = AnsweredAzProfile(true);
  profile.asked_ceiling.cpu = Cores(3.5);
  ExpectGolden("cli/ml_profile.json", DumpJsonIndented(Az(profile)) + "\n");
  ExpectGolden("cli/ml_profile_running.json",
               DumpJsonIndented(Az(AzProfile(ProfileState::kProfiling))) + "\n");
}

TEST(AzProfile, ShowsWhatWasAskedAsRequestedAndNotWhatTheHostAllowed) {
  Profile profile = AnsweredAzProfile(true);
  profile.asked_ceiling = {Cores(3.5), GiB(15)};
  profile.request.ceiling = {Cores(2), GiB(4)};
  EXPECT_EQ(Az(profile).at("requestedCpu"), 3.5);
  EXPECT_EQ(Az(profile).at("requestedMemoryInGB"), 15.0);
  // As a route of Azure's was given it, which mlprof rounds to its grid.
  EXPECT_EQ(Az(profile, {{"cpu", 0.25}}).at("requestedCpu"), 0.25);
}

TEST(AzProfile, CallsTheAnswerRequestedWhereNothingWasAsked) {
  const Json json = Az(AnsweredAzProfile(true));
  EXPECT_EQ(json.at("requestedCpu"), 0.4);
  EXPECT_EQ(json.at("requestedMemoryInGB"), 0.5);
  EXPECT_EQ(json.at("recommendedCpu"), 0.4);
}

TEST(AzProfile, FailsWithAMessageWhateverTheEnd) {
  Profile failed = AzProfile(ProfileState::kFailed);
  failed.workspace = "s/g/w";
  failed.error = ProfileError{"OutOfMemory", "killed at 2 GiB", {"raise --memory-in-gb"}, "log"};
  const Json json = Az(failed);
  EXPECT_EQ(json.at("state"), "Failed");
  EXPECT_EQ(json.at("error"),
            (Json{{"code", "OutOfMemory"},
                  {"statusCode", 400},
                  {"message", "killed at 2 GiB"},
                  {"details", {{{"code", "Advice"}, {"message", "raise --memory-in-gb"}}}}}));
  EXPECT_EQ(json.at("errorLogsUri"), "/profiles/0123/logs?workspace=s%2Fg%2Fw");
  for (const auto& [state, name] : {std::pair(ProfileState::kCanceled, "Cancelled"),
                                    std::pair(ProfileState::kTimedOut, "Failed")}) {
    const Json ended = Az(AzProfile(state));
    EXPECT_EQ(ended.at("state"), name);
    EXPECT_FALSE(ended.at("error").at("message").get<std::string>().empty());
    EXPECT_TRUE(ended.at("errorLogsUri").is_string());
  }
}

TEST(AzProfile, SaysWhereTheEnvironmentDiffers) {
  Profile profile = AnsweredAzProfile(true);
  profile.warnings = {{"baseImageReplaced", "another image", "name one"}, {"noisyHost", "x", "y"}};
  EXPECT_EQ(Az(profile).at("error"),
            (Json{{"code", "EnvironmentDiffers"},
                  {"statusCode", 400},
                  {"message", "another image"},
                  {"details", {{{"code", "Advice"}, {"message", "name one"}}}}}));
}

TEST(AzProfile, SaysWhereThereIsNoAnswer) {
  Profile profile = AnsweredAzProfile(true);
  profile.recommendation.reset();
  profile.no_answer = NoAnswer{kObjectiveNotHeld, "no limit holds it", {}};
  const Json json = Az(profile);
  EXPECT_EQ(json.at("state"), "Succeeded");
  EXPECT_EQ(json.at("error").at("code"), "ObjectiveNotHeld");
  EXPECT_EQ(json.at("error").at("message"), "no limit holds it");
  EXPECT_TRUE(json.at("recommendedCpu").is_null());
  EXPECT_TRUE(json.at("requestedCpu").is_null());
}

TEST(AzProfile, SaysWhereAnAnswerIsNotVerified) {
  const Json json = Az(AnsweredAzProfile(false));
  EXPECT_EQ(json.at("state"), "Succeeded");
  EXPECT_EQ(json.at("error").at("code"), "NotVerified");
  EXPECT_EQ(json.at("error").at("message"), "the answer could not be verified in fresh containers");
}

}  // namespace
}  // namespace mlprof::server
