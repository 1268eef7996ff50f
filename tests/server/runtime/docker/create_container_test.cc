#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <future>
#include <optional>

#include "server/runtime/docker/create_container.h"
#include "tests/server/runtime/docker/fake_engine_test.h"

namespace mlprof::server::docker {
namespace {

Error NotThere(const std::string& path) {
  return InvalidArgument(
      "Docker could not create container x: invalid mount config for type \"bind\": bind source "
      "path does not exist: " +
      path + " (status 400)");
}

TEST(IsUnseenTest, WhatIsMissingForEverybodyTellsNothingOfMounts) {
  const std::filesystem::path mounted = "/data/scratch/x/volume";
  EXPECT_TRUE(IsUnseen(NotThere("/data/scratch/x/volume/0"), mounted));
  EXPECT_FALSE(IsUnseen(NotThere("/data/trees/model"), mounted));
  EXPECT_FALSE(IsUnseen(Unavailable("no response about /data/scratch/x/volume/0"), mounted));
}

}  // namespace

// A name that is still taken.

namespace {

class CreateReplacingLeftoverTest : public FakeEngineTest {
 protected:
  static constexpr int kRemovals = 5;

  CreateReplacingLeftoverTest() {
    const fakes::FakeResponse taken{409, R"({"message":"The container name is already in use"})"};
    std::vector<fakes::FakeResponse> creates(kRemovals, taken);
    creates.push_back({201, R"({"Id":")" + kContainerId + R"("})"});
    docker_.On("POST /containers/create", creates);
    docker_.On("DELETE /containers/", 409,
               R"({"message":"removal of container c is already in progress"})");
  }
  void NameBelongsTo(const std::string& instance) {
    docker_.On("GET /containers/mlprof-p-1/json", 200,
               R"({"Id":")" + kContainerId +
                   R"(","State":{},"Config":{"Labels":{"mlprof.instance":")" + instance +
                   R"("}}})");
  }
  Result<std::string> Create(std::stop_token stop = {}) {
    return CreateReplacingLeftover(*context_, "mlprof-p-1", Json::object(),
                                   {Deadline::After(std::chrono::seconds(60)), stop});
  }
};

TEST_F(CreateReplacingLeftoverTest, WaitsUntilTheEngineHasRemovedTheOneThatHasItsName) {
  NameBelongsTo("installation");
  const auto id = Create();
  ASSERT_TRUE(id) << id.error().message();
  EXPECT_EQ(*id, kContainerId);
}

TEST_F(CreateReplacingLeftoverTest, ANameWhoseContainerIsGoneIsAskedForAgain) {
  docker_.On("GET /containers/mlprof-p-1/json", 404, R"({"message":"No such container"})");
  EXPECT_TRUE(Create());
}

TEST_F(CreateReplacingLeftoverTest, OneOfSomebodyElseIsLeftAndTold) {
  NameBelongsTo("another");
  const auto id = Create();
  ASSERT_FALSE(id);
  EXPECT_EQ(id.error().code(), ErrorCode::kConflict);
  EXPECT_THAT(docker_.Calls(),
              ::testing::Not(::testing::Contains(::testing::StartsWith("DELETE"))));
}

}  // namespace

// Creates that take as long as what they copy of the image is large.

namespace {

using fakes::FakeResponse;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

class CreateWithCopiesTest : public FakeEngineTest {
 protected:
  CreateWithCopiesTest() {
    volume_.emplace(folder_ / "scratch", MiB(1), std::nullopt);
    folders_ = {{volume_->root() / "0", "/tmp", false}, {volume_->root() / "1", "/app", true}};
    EXPECT_TRUE(MakeScratch(folders_));
    docker_.On("POST /containers/create", kNoResponse);
  }

  Error Create(std::chrono::seconds limit) {
    const auto id = CreateWithCopies(*context_, "mlprof-p-1", Json::object(), folders_, *volume_,
                                     Deadline::After(limit));
    return id ? Internal("it was created") : id.error();
  }
  std::optional<ScratchVolume> volume_;
  std::vector<ScratchFolder> folders_;
};

TEST_F(CreateWithCopiesTest, ACopyMayTakeMinutes) {
  EXPECT_GE(CreateLimit(folders_), 10min);
  folders_.pop_back();
  EXPECT_LE(CreateLimit(folders_), 30s);
}

TEST_F(CreateWithCopiesTest, ACopyThatAnEngineThatIsWellDoesNotEndIsTooLarge) {
  const Error error = Create(1s);
  EXPECT_EQ(error.code(), ErrorCode::kTooLarge);
  EXPECT_THAT(error.message(), HasSubstr("what the image holds at /app, where"));
}

TEST_F(CreateWithCopiesTest, AnEngineThatDoesNotRespondIsItsOwnSilence) {
  auto create = std::async(std::launch::async, [&] { return Create(1s).code(); });
  AwaitCall("POST /containers/create");
  docker_.On("GET /_ping", {{200, "", FakeResponse::Way::kReset}});
  EXPECT_EQ(create.get(), ErrorCode::kDeadlineExceeded);
}

TEST_F(CreateWithCopiesTest, WithoutACopyALateResponseIsTheEnginesSilence) {
  folders_.pop_back();
  EXPECT_EQ(Create(1s).code(), ErrorCode::kDeadlineExceeded);
}

TEST_F(CreateWithCopiesTest, ACopyIsGivenUpOnceItIsLargerThanPlainFoldersMayBe) {
  std::ofstream(folders_.back().host / "big") << std::string(2 << 20, 'x');
  const auto began = Deadline::Clock::now();
  const Error error = Create(60s);
  EXPECT_LT(Deadline::Clock::now() - began, 30s);
  EXPECT_EQ(error.code(), ErrorCode::kTooLarge);
  EXPECT_THAT(error.message(), HasSubstr("--scratch-limit-gb"));
}

}  // namespace
}  // namespace mlprof::server::docker
