#include "common/json/artifact_json.h"
#include "tests/client/cli_fixture.h"

namespace mlprof::client::cli {
namespace {

class ProfileArtifactsTest : public CliTest {
 protected:
  void SetUp() override {
    server_->On("GET /profiles/p1", 200,
                Text(EncodeProfile(SomeProfile(ProfileState::kSucceeded))));
    Offer("containers.log");
    server_->On("GET /profiles/0123/artifacts/ab", [](const RestRequest&) {
      return FakeResponse{200, "", {}, {"--- container 1\n", "hello\n"}, false, false};
    });
  }
  void Offer(const std::string& name) {
    const Artifact log{
        "ab", "log", name, "text/plain; charset=utf-8", KiB(3), std::string(64, 'a'), SomeTime()};
    Artifact other = log;
    other.id = "cd";
    other.kind = "capture";
    other.name = "trace.json";
    const Json all = {{"value", Json::array({EncodeArtifact(log), EncodeArtifact(other)})},
                      {"nextCursor", nullptr}};
    server_->On("GET /profiles/0123/artifacts", 200, Text(all));
  }
  Outcome Download(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"profile", "artifacts", "p1", "-t", folder_.path() / "out"});
    return Run(more);
  }
  std::string FileText(const std::string& name) {
    std::ifstream in(folder_.path() / "out" / name);
    return {std::istreambuf_iterator<char>(in), {}};
  }
};

TEST_F(ProfileArtifactsTest, AreListed) {
  const Outcome listed = Run({"profile", "artifacts", "p1"});
  EXPECT_EQ(listed.status, 0) << listed.err;
  for (const char* part : {"ID", "ab", "log", "containers.log", "3 KiB", "trace.json"}) {
    EXPECT_NE(listed.out.find(part), std::string::npos) << listed.out;
  }
  const auto json = ParseJson(Run({"profile", "artifacts", "p1", "-o", "json"}).out);
  ASSERT_TRUE(json.has_value());
  EXPECT_EQ((*json)["value"][1]["kind"], "capture");
}

TEST_F(ProfileArtifactsTest, OneIsDownloadedUnderItsName) {
  const Outcome done = Download({"--id", "ab"});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_NE(done.out.find("containers.log"), std::string::npos);
  EXPECT_EQ(FileText("containers.log"), "--- container 1\nhello\n");
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "out" / "containers.log.part"));
}

TEST_F(ProfileArtifactsTest, AllAreDownloadedWhereNoneIsNamed) {
  server_->On("GET /profiles/0123/artifacts/cd", 200, "{}");
  EXPECT_EQ(Download().status, 0);
  EXPECT_EQ(FileText("containers.log"), "--- container 1\nhello\n");
  EXPECT_EQ(FileText("trace.json"), "{}");
}

TEST_F(ProfileArtifactsTest, AFileThatIsThereIsKept) {
  std::filesystem::create_directories(folder_.path() / "out");
  std::ofstream(folder_.path() / "out" / "containers.log") << "mine";
  const Outcome refused = Download({"--id", "ab"});
  EXPECT_NE(refused.status, 0);
  EXPECT_NE(refused.err.find("--overwrite"), std::string::npos);
  EXPECT_EQ(FileText("containers.log"), "mine");
  EXPECT_EQ(Download({"--id", "ab", "--overwrite"}).status, 0);
  EXPECT_EQ(FileText("containers.log"), "--- container 1\nhello\n");
}

TEST_F(ProfileArtifactsTest, ADownloadThatBreaksLeavesNoFileOfItsName) {
  server_->On("GET /profiles/0123/artifacts/ab",
              [](const RestRequest&) { return FakeResponse{200, "", {}, {"half"}, false, true}; });
  EXPECT_NE(Download({"--id", "ab"}).status, 0);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "out" / "containers.log"));
}

TEST_F(ProfileArtifactsTest, ANameThatLeavesTheFolderIsRefused) {
  Offer("../containers.log");
  EXPECT_NE(Download({"--id", "ab"}).status, 0);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "containers.log"));
}

TEST_F(ProfileArtifactsTest, AnUnknownIdAndOptionsThatGoWithNothingAreTold) {
  EXPECT_EQ(Download({"--id", "xy"}).status, Run({"profile", "show", "none"}).status);
  EXPECT_EQ(Run({"profile", "artifacts", "p1", "--id", "ab"}).status, 2);
}

}  // namespace
}  // namespace mlprof::client::cli
