#include <gmock/gmock.h>

#include "tests/client/cli_fixture.h"

namespace mlprof::client::cli {
namespace {

class RerunProfileTest : public CliTest {};

TEST_F(RerunProfileTest, AsksOnceMoreAndCanWaitForAQuietHost) {
  server_->On("POST /profiles/p1/rerun", 202,
              Text(EncodeProfile(SomeProfile(ProfileState::kQueued))));
  EXPECT_EQ(Run({"profile", "rerun", "p1", "--no-wait"}).status, 0);
  EXPECT_EQ(Run({"profile", "rerun", "p1", "--when-quiet", "--no-wait"}).status, 0);
  const auto asked = server_->Asked("POST /profiles/p1/rerun");
  ASSERT_EQ(asked.size(), 2U);
  EXPECT_EQ(*ParseJson(asked[0].body), Json::object()) << "as the profile was asked";
  EXPECT_EQ(*ParseJson(asked[1].body), (Json{{"whenQuiet", true}}));
}

}  // namespace
}  // namespace mlprof::client::cli
