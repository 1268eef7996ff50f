// GET /profiles/{name}/azure.
#include <gtest/gtest.h>

#include "tests/server/azure/azure_bench.h"
#include "tests/server/storage/example_profile.h"

namespace mlprof::server {
namespace {

class DocumentRoutesTest : public AzureBench {
 protected:
  DocumentRoutesTest() { address_ = {}; }  // TLS is off

  Profile Stored(const std::string& workspace) {
    Profile profile = ExampleProfile("p");
    profile.workspace = workspace;
    profile.asked_ceiling = {Cores(8), std::nullopt};
    return profiles_.Create(profile, {}, false).value().profile;
  }
};

TEST_F(DocumentRoutesTest, GiveAProfileOfTheDefaultWorkspaceWithoutTls) {
  const Profile profile = Stored("default");
  const Json json = JsonOf(Ask("GET", "/profiles/p/azure"));
  EXPECT_EQ(json.at("id"), profile.id);
  EXPECT_EQ(json.at("state"), "NotStarted");
  EXPECT_EQ(json.at("inputDatasetId"), "requests:1");
  EXPECT_EQ(json.at("requestedCpu"), 8.0);
  EXPECT_EQ(json.at("requestedMemoryInGB"), nullptr);
}

TEST_F(DocumentRoutesTest, GiveWhatAnAzureRouteWasAskedFor) {
  const Profile profile = Stored("s/g/w");
  ASSERT_TRUE(records_.SaveAsked(profile.id, {{"cpu", 0.25}}));
  const Json json = JsonOf(Ask("GET", "/profiles/p/azure?workspace=s/g/w"));
  EXPECT_EQ(json.at("requestedCpu"), 0.25);
}

TEST_F(DocumentRoutesTest, RefuseAsTheNativeRoutesDo) {
  const HttpResponse missing = Ask("GET", "/profiles/none/azure");
  EXPECT_EQ(missing.status, 404);
  EXPECT_EQ(missing.headers.Get("Content-Type"), "application/problem+json");
  Stored("default");
  EXPECT_EQ(Ask("GET", "/profiles/p/azure?x=1").status, 400);
  EXPECT_EQ(AskFrom(kElsewhere, "GET", "/profiles/p/azure", "", {}).status, 401);
  EXPECT_EQ(
      AskFrom(kElsewhere, "GET", "/profiles/p/azure", "", {{"Authorization", "Bearer " + reader_}})
          .status,
      200);
}

}  // namespace
}  // namespace mlprof::server
