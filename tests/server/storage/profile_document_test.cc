#include "server/storage/profile_document.h"

#include <gtest/gtest.h>

#include "common/json/domain_json.h"
#include "tests/server/storage/example_profile.h"

namespace mlprof::server {
namespace {

// As former versions wrote it: how often it was run again stands in its warnings alone.
constexpr const char* kFormerDocument = R"json({
  "id": "0123456789abcdef", "workspace": "default", "name": "p", "description": "",
  "state": "Queued", "modelIds": ["m:1"], "inputDatasetId": "d:1",
  "progress": {"phase": "queued", "fraction": 0, "message": "waiting", "secondsLeft": null},
  "createdTime": "2026-11-20T19:10:00.123Z", "startedTime": null, "finishedTime": null,
  "recommendation": null, "measurements": null, "error": null, "host": null,
  "warnings": [
    {"code": "headerLike", "message": "the first row looks like a header", "advice": "say so"},
    {"code": "requeued", "message": "the server stopped; it was run again", "advice": ""},
    {"code": "engineLost", "message": "the engine went away: gone; it was run again", "advice": ""},
    {"code": "requeued", "message": "the server stopped; it was run again", "advice": ""}]})json";

TEST(ProfileDocumentTest, KeepsRerunsThatTheInterfaceDoesNotShow) {
  Profile profile = ExampleProfile("p1");
  profile.reruns = {{RerunCause::kNoRoom, "no room; it was run again"},
                    {RerunCause::kAgentLost, "lost; it was run again"}};
  const auto read = ReadProfileDocument(ProfileDocument(profile));
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->reruns, profile.reruns);
  EXPECT_EQ(EncodeProfile(*read), EncodeProfile(profile));
  EXPECT_FALSE(EncodeProfile(profile).contains("reruns"));
}

TEST(ProfileDocumentTest, KeepsTheCeilingThatWasAskedForBesideTheOneItWasBoundedTo) {
  Profile profile = ExampleProfile("p1");
  profile.asked_ceiling = {Cores(8), std::nullopt};
  const auto read = ReadProfileDocument(ProfileDocument(profile));
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->asked_ceiling, profile.asked_ceiling);
  EXPECT_EQ(read->request.ceiling, profile.request.ceiling);
  EXPECT_EQ(ReadProfileDocument(kFormerDocument)->asked_ceiling, Ceiling());
}

TEST(ProfileDocumentTest, KeepsWhetherTheBudgetWasNamed) {
  Profile profile = ExampleProfile("p1");
  for (const bool given : {true, false}) {
    profile.request.budget_given = given;
    EXPECT_EQ(ReadProfileDocument(ProfileDocument(profile))->request.budget_given, given);
  }
  EXPECT_TRUE(ReadProfileDocument(kFormerDocument)->request.budget_given);
}

TEST(ProfileDocumentTest, CountsTheRerunsOfAFormerVersionByItsWarnings) {
  const auto read = ReadProfileDocument(kFormerDocument);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(
      read->reruns,
      (std::vector<Rerun>{{RerunCause::kServerStopped, "the server stopped; it was run again"},
                          {RerunCause::kEngineLost, "the engine went away: gone; it was run again"},
                          {RerunCause::kServerStopped, "the server stopped; it was run again"}}));
  EXPECT_EQ(read->warnings.size(), 4U);
  EXPECT_EQ(ReadProfileDocument(ProfileDocument(*read))->reruns, read->reruns);
}

TEST(ProfileDocumentTest, DoesNotTakeAWarningForARerunWhereRerunsAreKept) {
  Profile profile = ExampleProfile("p1");
  profile.warnings = {{"requeued", "", ""}};
  EXPECT_TRUE(ReadProfileDocument(ProfileDocument(profile))->reruns.empty());
}

TEST(ProfileDocumentTest, RefusesACauseThatItDoesNotKnow) {
  Json json = EncodeProfile(ExampleProfile("p1"));
  json["reruns"] = Json::array({{{"cause", "boredom"}, {"words", ""}}});
  EXPECT_FALSE(ReadProfileDocument(DumpJson(json)));
}

}  // namespace
}  // namespace mlprof::server
