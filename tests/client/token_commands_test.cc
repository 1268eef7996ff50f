#include <gmock/gmock.h>

#include "tests/client/cli_fixture.h"

namespace mlprof::client::cli {
namespace {

using ::testing::HasSubstr;

constexpr const char* kToken =
    R"("id":"0123","name":"ci","scope":"read","createdTime":"2026-11-21T10:00:00.000Z",)"
    R"("expiresTime":null,"lastUsedDay":"2026-11-22")";

class TokenCommandsTest : public CliTest {
 protected:
  TokenCommandsTest() {
    server_->On("POST /tokens", 201, std::string("{") + kToken + R"(,"token":"mlp_secret"})");
    server_->On("GET /tokens", 200,
                std::string(R"({"value":[{)") + kToken + R"(}],"nextCursor":null})");
    server_->On("DELETE /tokens/ci", 204, "");
  }
  void ConfigIs(const std::string& text, std::filesystem::perms mode) {
    std::filesystem::remove(folder_.path() / ".config/mlprof/config.json");
    std::filesystem::permissions(folder_.Write(".config/mlprof/config.json", text), mode);
  }
};

TEST_F(TokenCommandsTest, PrintNothingButTheTokenThatWasMade) {
  const Outcome outcome =
      Run({"token", "create", "ci", "--scope", "read", "--expires-in-days", "7"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "mlp_secret\n");
  EXPECT_THAT(outcome.err, HasSubstr("this once"));
  EXPECT_EQ(server_->Asked("POST /tokens").at(0).body,
            R"({"expiresInDays":7,"name":"ci","scope":"read"})");
  EXPECT_EQ(Run({"token", "create", "ci", "-o", "tsv"}).out, "mlp_secret\n");
  EXPECT_EQ(server_->Asked("POST /tokens").at(1).body, R"({"name":"ci","scope":"write"})");
}

TEST_F(TokenCommandsTest, RefuseWhatIsNoScopeOrTime) {
  EXPECT_EQ(Run({"token", "create"}).status, 2);
  EXPECT_EQ(Run({"token", "create", "ci", "--scope", "all"}).status, 2);
  EXPECT_EQ(Run({"token", "create", "ci", "--expires-in-days", "0"}).status, 2);
  EXPECT_TRUE(server_->Asked("POST /tokens").empty());
}

TEST_F(TokenCommandsTest, ListAndRevoke) {
  EXPECT_EQ(Run({"token", "list"}).out,
            "ID    NAME  SCOPE  CREATED              EXPIRES  LAST USED\n"
            "0123  ci    read   2026-11-21 10:00:00  never    2026-11-22\n");
  EXPECT_EQ(Run({"token", "revoke", "ci"}).status, 0);
  EXPECT_EQ(Run({"token", "revoke", "cj"}).status, 3);
}

TEST_F(TokenCommandsTest, SayWhereATokenComesFromWhereOneIsMissing) {
  server_->On("GET /models", 401, R"({"detail":"this server wants a token"})");
  const Outcome outcome = Run({"model", "list"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("this server wants a token\n"));
  EXPECT_THAT(outcome.err, HasSubstr("MLPROF_TOKEN"));
}

TEST_F(TokenCommandsTest, TakeTokenAndCaFromTheEnvironment) {
  environment_["MLPROF_TOKEN"] = "mlp_mine";
  environment_["MLPROF_CA"] = "/ca.pem";
  Run({"token", "list"});
  EXPECT_EQ(token_, "mlp_mine");
  EXPECT_EQ(ca_file_, "/ca.pem");
}

TEST_F(TokenCommandsTest, TakeTokenAndCaFromTheConfigFile) {
  environment_.erase("MLPROF_SERVER");
  ConfigIs(R"({"server":"https://box","token":"mlp_kept","ca":"/ca.pem"})",
           std::filesystem::perms::owner_read);
  Run({"token", "list"});
  EXPECT_EQ(connected_to_, "https://box");
  EXPECT_EQ(token_, "mlp_kept");
  EXPECT_EQ(ca_file_, "/ca.pem");
}

TEST_F(TokenCommandsTest, SendTheTokenOfTheConfigFileToItsServerAlone) {
  ConfigIs(R"({"server":"https://box","token":"mlp_kept"})", std::filesystem::perms::owner_read);
  Run({"token", "list"});
  EXPECT_EQ(connected_to_, "http://fake");
  EXPECT_EQ(token_, "");
}

TEST_F(TokenCommandsTest, RefuseATokenThatOthersCanRead) {
  ConfigIs(R"({"token":"mlp_kept"})",
           std::filesystem::perms::owner_read | std::filesystem::perms::group_read);
  const Outcome outcome = Run({"token", "list"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("chmod 600"));
  ConfigIs(R"({"token":1})", std::filesystem::perms::owner_read);
  EXPECT_EQ(Run({"token", "list"}).status, 2);
}

}  // namespace
}  // namespace mlprof::client::cli
