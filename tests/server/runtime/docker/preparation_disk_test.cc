// A preparation on a disk that runs full, with an engine that does what the test tells it to.
// Mounts that disk, so it runs as root.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/mount.h>

#include <algorithm>
#include <fstream>
#include <future>

#include "server/runtime/docker/docker_runtime.h"
#include "tests/fakes/fake_docker.h"

namespace mlprof::docker {
namespace {

using testing::FakeAnswer;
using testing::FakeDocker;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

const std::string kId(64, 'c');
const std::vector<FakeAnswer> kNoAnswer = {{200, "", FakeAnswer::Way::kNever}};

class PreparationDisk : public ::testing::Test {
 protected:
  PreparationDisk() {
    char name[] = "/tmp/preparation-disk.XXXXXX";
    disk_ = ::mkdtemp(name);
    EXPECT_EQ(::mount("none", disk_.c_str(), "tmpfs", 0, "size=64m"), 0);
    DockerOptions options;
    options.agent_binary = "/bin/true";
    options.data_dir = disk_;
    options.instance_id = "installation";
    options.base_image = "base";
    options.scratch_limit = MiB(32);
    context_ = std::make_shared<DockerContext>(
        options, docker_.socket(), [](int, const Patience&) -> Result<std::unique_ptr<AgentLink>> {
          return Fail(Internal("no agent comes"));
        });
    context_->volumes.MountNoMore();
    runtime_ = std::make_unique<DockerRuntime>(context_);
    docker_.On("POST /containers/create", 201, R"({"Id":")" + kId + R"("})");
    docker_.On("POST /containers/" + kId, 204, "");
    docker_.On("POST /containers/" + kId + "/wait", 200, R"({"StatusCode":0})");
    docker_.On("GET /containers/" + kId + "/logs", 200, "");
    docker_.On("DELETE /containers/", 204, "");
    docker_.On("GET /info", 200, R"({"NCPU":2,"MemTotal":8000000000})");
    docker_.On("GET /images/", 404, R"({"message":"No such image"})");
    docker_.On("GET /images/base/json", 200, R"({"Id":"sha256:base"})");
  }
  ~PreparationDisk() override {
    stop_.request_stop();
    if (prepared_.valid()) (void)prepared_.get();
    ::umount2(disk_.c_str(), MNT_DETACH);
    std::filesystem::remove(disk_);
  }

  void Prepare() {
    prepared_ = std::async(std::launch::async, [this] {
      PrepareRequest request;
      request.config.service = EntryScriptConfig{};
      return runtime_->Prepare(
          request, [](std::string_view) {}, stop_.get_token(), Deadline::After(60s));
    });
  }
  void Write(const std::filesystem::path& file, Bytes size) const {
    std::ofstream out(file);
    out << std::string(static_cast<std::size_t>(size.count()), 'x');
    ASSERT_TRUE(out.flush());
  }
  // -1 where it never was.
  std::ptrdiff_t AwaitCall(const std::string& beginning, std::ptrdiff_t from = 0) {
    const Deadline soon = Deadline::After(10s);
    while (!soon.Passed()) {
      const auto calls = docker_.Calls();
      const auto found =
          std::find_if(calls.begin() + std::min<std::ptrdiff_t>(from, std::ssize(calls)),
                       calls.end(), [&](const auto& call) { return call.starts_with(beginning); });
      if (found != calls.end()) return found - calls.begin();
      std::this_thread::yield();
    }
    ADD_FAILURE() << "never asked: " << beginning;
    return -1;
  }
  std::filesystem::path Environment() const {
    for (const auto& entry : std::filesystem::directory_iterator(context_->ScratchRoot())) {
      return entry.path() / "venv";
    }
    return {};
  }

  FakeDocker docker_;
  std::filesystem::path disk_;
  std::shared_ptr<DockerContext> context_;
  std::unique_ptr<DockerRuntime> runtime_;
  std::stop_source stop_;
  std::future<Result<PreparedImage>> prepared_;
};

TEST_F(PreparationDisk, EndsAContainerThatWasBeingStartedAsTheDiskRanFull) {
  docker_.On("POST /containers/" + kId + "/start", {{204, "", FakeAnswer::Way::kSlow}});
  docker_.On("GET /containers/" + kId + "/logs", kNoAnswer);
  Prepare();
  AwaitCall("POST /containers/" + kId + "/start");
  Write(disk_ / "others", MiB(60));
  // What does not run yet is not ended by a kill, and there is but one.
  const auto runs = AwaitCall("GET /containers/" + kId + "/logs");
  EXPECT_GT(AwaitCall("POST /containers/" + kId + "/kill"), runs);
}

TEST_F(PreparationDisk, EndsWithAnErrorWhereThereIsNoRoomToKeepWhatWasInstalled) {
  docker_.On("GET /containers/" + kId + "/logs", {{200, "", FakeAnswer::Way::kSlow}});
  Prepare();
  AwaitCall("GET /containers/" + kId + "/logs");
  // More than fits once more, though no disk is short yet.
  Write(Environment() / "wheel", MiB(30));
  const auto image = prepared_.get();
  ASSERT_FALSE(image);
  EXPECT_EQ(image.error().code(), ErrorCode::kTooLarge) << image.error().message();
  EXPECT_THAT(image.error().message(), HasSubstr("cannot be kept: the disk of"));
}

TEST_F(PreparationDisk, EndsTheCopyThatFillsTheDisk) {
  docker_.On("POST /containers/" + kId + "/wait",
             {{200, R"({"StatusCode":0})"}, {200, "", FakeAnswer::Way::kNever}});
  Prepare();
  const auto installed = AwaitCall("POST /containers/" + kId + "/wait");
  AwaitCall("POST /containers/" + kId + "/wait", installed + 1);
  Write(disk_ / "others", MiB(60));
  AwaitCall("POST /containers/" + kId + "/kill");
}

}  // namespace
}  // namespace mlprof::docker
