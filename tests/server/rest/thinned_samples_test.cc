// What GET /profiles/{name}/samples says of a profile whose samples were thinned.
#include <gtest/gtest.h>

#include "tests/server/azure/azure_bench.h"
#include "tests/server/storage/example_profile.h"

namespace mlprof::server {
namespace {

class ThinnedSamplesTest : public AzureBench {
 protected:
  ThinnedSamplesTest() { AddProfileDataRoutes(router_, azure_.services); }
  Json Samples() { return JsonOf(Ask("GET", "/profiles/p/samples")); }
};

TEST_F(ThinnedSamplesTest, SayHowManyAreLeft) {
  Profile profile = profiles_.Create(ExampleProfile("p"), {}, false).value().profile;
  profile.state = ProfileState::kSucceeded;
  ASSERT_TRUE(profiles_.Update(profile, ProfileState::kQueued));
  const Series all = {"processes", "tasks", "agent", std::vector<SeriesPoint>(50)};
  ASSERT_TRUE(profiles_.AddSeries(profile.id, std::vector{all}));
  EXPECT_FALSE(Samples().contains("thinned"));
  ASSERT_TRUE(profiles_.ThinSeries(profile.id, {},
                                   [](const Series&) { return std::vector<SeriesPoint>(5); }));
  EXPECT_EQ(DumpJson(Samples()["thinned"]), R"({"keptPoints":5,"measuredPoints":50})");
}

}  // namespace
}  // namespace mlprof::server
