// `mlprof gc`.
#include <gmock/gmock.h>

#include "tests/client/cli_fixture.h"

namespace mlprof::client::cli {
namespace {

using ::testing::HasSubstr;

class GcCommandTest : public CliTest {
 protected:
  GcCommandTest() { ResponseIs({"image", "profile"}); }
  void ResponseIs(const std::vector<std::string>& kinds,
                  const std::vector<std::string>& notes = {}) {
    Json items = Json::array();
    for (const std::string& kind : kinds) {
      items.push_back({{"kind", kind},
                       {"id", kind + "-1"},
                       {"bytes", 1048576},
                       {"action", "removed"},
                       {"why", "older than 30 days"}});
    }
    server_->On(
        "POST /gc", 200,
        DumpJson({{"dryRun", false}, {"items", items}, {"freedBytes", 2097152}, {"notes", notes}}));
  }
  std::string Sent(std::size_t number = 0) { return server_->Asked("POST /gc").at(number).body; }
};

TEST_F(GcCommandTest, ShowsWhatWentAndHowMuchThatFreed) {
  const Outcome outcome = Run({"gc"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out,
            "KIND     ID         SIZE   ACTION   WHY\n"
            "image    image-1    1 MiB  removed  older than 30 days\n"
            "profile  profile-1  1 MiB  removed  older than 30 days\n");
  EXPECT_EQ(outcome.err, "mlprof: freed 2 MiB\n");
  EXPECT_EQ(Sent(), R"({"dryRun":false})");
}

TEST_F(GcCommandTest, ADryRunSaysWhatWouldGo) {
  can_ask_ = true;
  ResponseIs({"profile"}, {"images stay as they are: no engine"});
  const Outcome outcome = Run({"gc", "--dry-run", "--profiles-older-than", "90d"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "mlprof: images stay as they are: no engine\nmlprof: would free 2 MiB\n");
  EXPECT_EQ(Sent(), R"({"dryRun":true,"profilesOlderThanSeconds":7776000})");
  EXPECT_EQ(times_asked_, 0);
}

TEST_F(GcCommandTest, AsksAPersonBeforeProfilesAreDeleted) {
  can_ask_ = true;
  const Outcome no = Run({"gc", "--profiles-older-than", "12h"});
  EXPECT_THAT(no.err,
              HasSubstr("1 profile of all workspaces that ended more than 12h ago is deleted"));
  EXPECT_THAT(no.err, HasSubstr("nothing was deleted"));
  EXPECT_EQ(times_asked_, 1);
  ASSERT_EQ(server_->Asked("POST /gc").size(), 1u);
  EXPECT_EQ(Sent(), R"({"dryRun":true,"profilesOlderThanSeconds":43200})");
  confirms_ = true;
  EXPECT_EQ(Run({"gc", "--profiles-older-than", "12h"}).status, 0);
  EXPECT_EQ(Sent(2), R"({"dryRun":false,"profilesOlderThanSeconds":43200})");
  Run({"gc", "--profiles-older-than", "12h", "--yes"});
  EXPECT_EQ(times_asked_, 2);
}

TEST_F(GcCommandTest, DoesNotAskWhereNoProfileGoes) {
  can_ask_ = true;
  ResponseIs({"image"});
  EXPECT_EQ(Run({"gc", "--profiles-older-than", "1d"}).status, 0);
  EXPECT_EQ(Sent(1), R"({"dryRun":false})");
  EXPECT_EQ(Run({"gc"}).status, 0);
  EXPECT_EQ(times_asked_, 0);
}

TEST_F(GcCommandTest, RefusesATimeThatIsNone) {
  for (const char* wrong : {"90", "d", "", "-1d", "1.5d", "90 d", "1y", "99999999999999999999d"}) {
    EXPECT_EQ(Run({"gc", "--profiles-older-than", wrong}).status, 2) << wrong;
  }
  EXPECT_TRUE(server_->Asked("POST /gc").empty());
}

}  // namespace
}  // namespace mlprof::client::cli
