// The private server, with shell scripts in the place of mlprof-server.
#include "client/cli/private_server.h"

#include <gmock/gmock.h>
#include <signal.h>

#include "tests/client/azure_document.h"
#include "tests/client/cli_fixture.h"

namespace mlprof::client::cli {
namespace {

class PrivateServerTest : public CliTest {
 protected:
  PrivateServerTest() {
    environment_.erase("MLPROF_SERVER");
    environment_["XDG_DATA_HOME"] = (folder_.path() / "data").string();
    server_->On("GET /healthz", 200, "{}");
    server_->On("GET /models", 200, R"({"value":[],"nextCursor":null})");
  }
  // Ends what a script started, whose process id it wrote down.
  ~PrivateServerTest() override {
    std::ifstream file(folder_.path() / "started");
    for (pid_t pid = 0; file >> pid;) kill(pid, SIGKILL);
  }
  void ServerIs(const std::string& script) {
    const auto file = folder_.Write("bin/mlprof-server", "#!/bin/sh\n" + script + "\n");
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  }
  std::string Running() {
    const std::string lock = (folder_.path() / "data/mlprof/lock").string();
    return "exec 9> '" + lock + "' && flock -x 9\n" + "echo $$ >> '" +
           (folder_.path() / "started").string() + "'\n" + "echo \"$@\" > '" +
           (folder_.path() / "arguments").string() + "'\n" + "cp '" +
           (folder_.path() / "data/mlprof/server.token").string() + "' '" +
           (folder_.path() / "token").string() + "'\n" +
           "echo 'listening on http://127.0.0.1:4711'\nexec sleep 30 >/dev/null 2>&1";
  }
  std::string Content(const std::string& name) {
    std::ifstream in(folder_.path() / name);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }
};

TEST_F(PrivateServerTest, IsStartedOnceAndFoundAgain) {
  ServerIs(Running());
  const Outcome first = Run({"model", "list"});
  EXPECT_EQ(first.status, 0) << first.err;
  EXPECT_EQ(connected_to_, "http://127.0.0.1:4711");
  const std::string data = (folder_.path() / "data/mlprof").string();
  EXPECT_EQ(Content("arguments"),
            "--listen 127.0.0.1:0 --data-dir " + data + " --exit-when-unused " + data +
                "/users.lock --require-token --token-file " + data + "/server.token\n");
  const auto mode = std::filesystem::status(data + "/server.json").permissions();
  EXPECT_EQ(mode, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  const std::string started = Content("started");
  EXPECT_EQ(Run({"model", "list"}).status, 0);
  EXPECT_EQ(Content("started"), started);
}

TEST_F(PrivateServerTest, WantsATokenThatOnlyItsOwnerCanRead) {
  ServerIs(Running());
  environment_["MLPROF_TOKEN"] = "mlp_of_another_server";
  ASSERT_EQ(Run({"model", "list"}).status, 0);
  const std::string first = token_;
  EXPECT_THAT(first, testing::MatchesRegex("mlp_[0-9a-f]{64}"));
  EXPECT_EQ(Content("token"), first + "\n");
  EXPECT_EQ(Content("arguments").find(first), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "data/mlprof/server.token"));
  token_.clear();
  ASSERT_EQ(Run({"model", "list"}).status, 0);
  EXPECT_EQ(token_, first);
}

// It is gone when anybody could look.
TEST_F(PrivateServerTest, GivesNoAddressOfItsLogs) {
  ServerIs(Running());
  server_->On("GET /models/m%3A1", 200, Text(EncodeModel(SomeModel())));
  server_->On("GET /datasets/requests", 200, Text(EncodeDataset(SomeDataset())));
  const std::string failed = Text(EncodeProfile(SomeProfile(ProfileState::kFailed)));
  server_->On("POST /profiles", 202, failed);
  server_->On("GET /profiles/0123/events", [](const RestRequest&) {
    return FakeResponse{200, "", {}, {"id: 1\nevent: done\ndata: {}\n\n"}, false, false};
  });
  server_->On("GET /profiles/0123", 200, failed);
  server_->On("GET /profiles/0123/azure", 200,
              Text(AzureProfileDocument({{"errorLogsUri", "/profiles/0123/logs"}})));
  const Outcome outcome =
      Run({"ml", "model", "profile", "-n", "p1", "-m", "m:1", "--idi", "requests"});
  ASSERT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_EQ(ParseJson(outcome.out).value().at("errorLogsUri"), nullptr);
}

TEST_F(PrivateServerTest, IsStartedAnewWhenTheOldOneIsDead) {
  ServerIs(Running());
  folder_.Write("data/mlprof/server.json", R"({"url":"http://127.0.0.1:1","pid":999999999})");
  EXPECT_EQ(Run({"model", "list"}).status, 0);
  EXPECT_EQ(connected_to_, "http://127.0.0.1:4711");
}

TEST_F(PrivateServerTest, IsNotTakenForAStrangerOnItsPort) {
  ServerIs(Running());
  folder_.Write("data/mlprof/lock", "");
  folder_.Write("data/mlprof/server.json", R"({"url":"http://127.0.0.1:1","token":"mlp_x","pid":)" +
                                               std::to_string(getpid()) + "}");
  EXPECT_EQ(Run({"model", "list"}).status, 0);
  EXPECT_EQ(connected_to_, "http://127.0.0.1:4711");
}

TEST_F(PrivateServerTest, ShowsTheLogOfOneThatDoesNotStart) {
  ServerIs("echo 'no disk left' >&2; exit 1");
  const Outcome outcome = Run({"model", "list"});
  EXPECT_EQ(outcome.status, 4);
  EXPECT_NE(outcome.err.find("no disk left"), std::string::npos);
}

TEST_F(PrivateServerTest, IsMissedWithAClearSentence) {
  const Outcome outcome = Run({"model", "list"});
  EXPECT_EQ(outcome.status, 4);
  EXPECT_NE(outcome.err.find("mlprof-server was found neither"), std::string::npos);
}

}  // namespace
}  // namespace mlprof::client::cli
