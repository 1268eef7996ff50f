// A preparation on a disk that runs full, with an engine that does what the test tells it to.
// Mounts that disk, so it runs as root.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/mount.h>

#include <fstream>
#include <future>

#include "tests/server/runtime/docker/fake_engine_test.h"

namespace mlprof::server::docker {
namespace {

using fakes::FakeResponse;
using ::testing::HasSubstr;

class PreparationDisk : public FakeEngineTest {
 protected:
  PreparationDisk() {
    char name[] = "/tmp/preparation-disk.XXXXXX";
    disk_ = ::mkdtemp(name);
    EXPECT_EQ(::mount("none", disk_.c_str(), "tmpfs", 0, "size=64m"), 0);
    DockerOptions options = context_->options;
    options.data_dir = disk_;
    options.scratch_limit = MiB(32);
    UseOptions(options);
    docker_.On("POST " + kContainer + "/wait", 200, R"({"StatusCode":0})");
  }
  ~PreparationDisk() override {
    stop_.request_stop();
    if (prepared_.valid()) (void)prepared_.get();
    ::umount2(disk_.c_str(), MNT_DETACH);
    std::filesystem::remove(disk_);
  }

  void Prepare() {
    prepared_ =
        std::async(std::launch::async, [this] { return PrepareEntryScript(stop_.get_token()); });
  }
  void Write(const std::filesystem::path& file, Bytes size) const {
    std::ofstream out(file);
    out << std::string(static_cast<std::size_t>(size.count()), 'x');
    ASSERT_TRUE(out.flush());
  }
  std::filesystem::path Environment() const {
    for (const auto& entry : std::filesystem::directory_iterator(context_->ScratchRoot())) {
      return entry.path() / "venv";
    }
    return {};
  }

  std::filesystem::path disk_;
  std::stop_source stop_;
  std::future<Result<PreparedImage>> prepared_;
};

TEST_F(PreparationDisk, EndsAContainerThatWasBeingStartedAsTheDiskRanFull) {
  docker_.On("POST " + kContainer + "/start", {{204, "", FakeResponse::Way::kSlow}});
  docker_.On("GET " + kContainer + "/logs", kNoResponse);
  Prepare();
  AwaitCall("POST " + kContainer + "/start");
  Write(disk_ / "others", MiB(60));
  // What does not run yet is not ended by a kill, and there is but one.
  const auto runs = AwaitCall("GET " + kContainer + "/logs");
  EXPECT_GT(AwaitCall("POST " + kContainer + "/kill"), runs);
}

TEST_F(PreparationDisk, EndsWithAnErrorWhereThereIsNoRoomToKeepWhatWasInstalled) {
  docker_.On("GET " + kContainer + "/logs", {{200, "", FakeResponse::Way::kSlow}});
  Prepare();
  AwaitCall("GET " + kContainer + "/logs");
  // More than fits once more, though no disk is short yet.
  Write(Environment() / "wheel", MiB(30));
  const auto image = prepared_.get();
  ASSERT_FALSE(image);
  EXPECT_EQ(image.error().code(), ErrorCode::kTooLarge) << image.error().message();
  EXPECT_THAT(image.error().message(), HasSubstr("cannot be kept: the disk of"));
}

TEST_F(PreparationDisk, EndsTheCopyThatFillsTheDisk) {
  docker_.On("POST " + kContainer + "/wait",
             {{200, R"({"StatusCode":0})"}, {200, "", FakeResponse::Way::kNever}});
  Prepare();
  const auto installed = AwaitCall("POST " + kContainer + "/wait");
  AwaitCall("POST " + kContainer + "/wait", installed + 1);
  Write(disk_ / "others", MiB(60));
  AwaitCall("POST " + kContainer + "/kill");
}

}  // namespace
}  // namespace mlprof::server::docker
