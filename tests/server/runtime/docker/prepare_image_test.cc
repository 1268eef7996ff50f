// What a preparation tells, with an engine that repeats passwords.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "server/runtime/docker/docker_options.h"
#include "tests/fakes/fake_docker.h"
#include "tests/fakes/folder_input.h"

namespace mlprof::server {
namespace {

using namespace std::chrono_literals;

class PrepareImageTest : public ::testing::Test {
 protected:
  PrepareImageTest() {
    ::setenv("PIP_EXTRA_INDEX_URL", "https://reader:index%2Dsecret@index.test/simple", 1);
    Start("own:1");
  }
  void Start(const std::string& base_image) {
    DockerOptions options;
    options.docker_host = docker_.socket();
    options.agent_binary = "/bin/true";
    options.data_dir = std::filesystem::path(docker_.socket()).parent_path() / "data";
    options.instance_id = "prepareimagetest";
    options.base_image = base_image;
    runtime_ = MakeDockerRuntime(options).value();
  }
  void SetUp() override {
    docker_.On("GET /images/asked%3A1/json", 404, R"({"message":"No such image"})");
    docker_.On("GET /images/own%3A1/json", 404, R"({"message":"No such image"})");
    docker_.On("POST /images/create", 200,
               "{\"status\":\"asking https://daemon:mirror-secret@mirror.test/v2\"}\n"
               "{\"error\":\"proxyconnect http://daemon:hidden@10.0.0.1:3128: index-secret\"}");
  }
  ~PrepareImageTest() override { ::unsetenv("PIP_EXTRA_INDEX_URL"); }

  void ExpectNoPassword(const Result<PreparedImage>& image) const {
    ASSERT_FALSE(image);
    for (const char* secret : {"mirror-secret", "hidden", "index-secret"}) {
      EXPECT_EQ(image.error().message().find(secret), std::string::npos) << image.error().message();
      EXPECT_EQ(log_.find(secret), std::string::npos) << log_;
    }
    EXPECT_NE(log_.find("https://***@mirror.test/v2"), std::string::npos) << log_;
  }
  Result<PreparedImage> Prepare(const InferenceConfig& config) {
    return runtime_->Prepare(
        {config, fakes::FolderReader("/nonexistent")},
        [this](std::string_view text) { log_ += text; }, {}, Deadline::After(10s));
  }

  fakes::FakeDocker docker_;
  std::unique_ptr<Runtime> runtime_;
  std::string log_;
};

TEST_F(PrepareImageTest, MasksWhatAFailedPullTells) {
  ImageConfig image;
  image.image = "asked:1";
  InferenceConfig config;
  config.service = image;
  ExpectNoPassword(Prepare(config));
}

TEST_F(PrepareImageTest, MasksWhyABaseImageCannotBeHad) {
  EntryScriptConfig script;
  script.entry_script = "score.py";
  script.base_image = "asked:1";
  InferenceConfig config;
  config.service = script;
  ExpectNoPassword(Prepare(config));
}

// A mmdebstrap that tells everything it was told, and more of it than is kept for the error.
TEST_F(PrepareImageTest, MasksWhatMakingTheBaseImagePrints) {
  const std::filesystem::path folder = std::filesystem::path(docker_.socket()).parent_path();
  std::ofstream(folder / "mmdebstrap")
      << "#!/bin/sh\nfor i in 1 2 3 4; do printf '%0499d\\n' 0; done\n"
         "echo \"$*\"; env; exit 1\n";
  std::filesystem::permissions(folder / "mmdebstrap", std::filesystem::perms(0755));
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", (folder.string() + ":" + path).c_str(), 1);
  ::setenv("BASE_MIRROR", "http://apt:apt-secret@mirror.test/debian", 1);
  Start("");
  docker_.On("GET /images/", 404, R"({"message":"No such image"})");
  EntryScriptConfig script;
  script.entry_script = "score.py";
  InferenceConfig config;
  config.service = script;
  const auto image = Prepare(config);
  ::setenv("PATH", path.c_str(), 1);
  ::unsetenv("BASE_MIRROR");
  ASSERT_FALSE(image);
  EXPECT_NE(log_.find("deb http://***@mirror.test/debian"), std::string::npos) << log_;
  for (const char* secret : {"apt-secret", "index-secret", "index%2Dsecret"}) {
    EXPECT_EQ(log_.find(secret), std::string::npos) << log_;
    EXPECT_EQ(image.error().message().find(secret), std::string::npos) << image.error().message();
  }
}

}  // namespace
}  // namespace mlprof::server
