// An engine restarts while a container prepares, keeps or starts: what ended then is no fault of
// the packages or the model.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/runtime/docker/engine_restart.h"
#include "tests/server/runtime/docker/fake_engine_test.h"

namespace mlprof::server::docker {
namespace {

using fakes::FakeResponse;
using ::testing::HasSubstr;

const std::string kKilled = R"({"StatusCode":137})";

class EngineRestart : public FakeEngineTest {
 protected:
  EngineRestart() {
    docker_.On("GET " + kContainer + "/json", 200,
               R"({"Id":")" + kContainerId + R"(","State":{"Running":false,"ExitCode":137}})");
  }

  void Remembers(const std::string& event) {
    docker_.On("GET /events", 200, R"({"Action":")" + event + "\"}\n");
  }
  Error PrepareError() {
    const auto image = PrepareEntryScript();
    return image ? Error(ErrorCode::kInternal, "it was prepared") : image.error();
  }
  Error LaunchError() {
    const auto target = LaunchImage();
    return target ? Error(ErrorCode::kInternal, "it was launched") : target.error();
  }
};

TEST_F(EngineRestart, UnderAnInstallationIsNoFaultOfThePackages) {
  docker_.On("POST " + kContainer + "/wait", 200, kKilled);
  Remembers("die");
  const Error error = PrepareError();
  EXPECT_EQ(error.code(), ErrorCode::kUnavailable);
  EXPECT_THAT(error.message(), HasSubstr("engine restarted"));
}

TEST_F(EngineRestart, IsNotMeantWhereTheEngineRemembersTheStart) {
  docker_.On("POST " + kContainer + "/wait", 200, kKilled);
  Remembers("start");
  EXPECT_EQ(PrepareError().code(), ErrorCode::kInvalidArgument);
}

TEST_F(EngineRestart, UnderTheCopyOfAnEnvironmentIsNoFaultOfThePackages) {
  docker_.On("POST " + kContainer + "/wait", {{200, R"({"StatusCode":0})"}, {200, kKilled}});
  Remembers("die");
  EXPECT_EQ(PrepareError().code(), ErrorCode::kUnavailable);
}

TEST_F(EngineRestart, WhileAContainerStartsIsNoFaultOfTheModel) {
  Remembers("die");
  const Error error = LaunchError();
  EXPECT_EQ(error.code(), ErrorCode::kUnavailable);
  EXPECT_THAT(error.message(), HasSubstr("engine restarted"));
}

TEST_F(EngineRestart, IsNotMeantWhereAContainerEndsAtOnceByItself) {
  Remembers("start");
  EXPECT_EQ(LaunchError().code(), ErrorCode::kInternal);
}

TEST_F(EngineRestart, DuringAPullIsNoFaultOfTheImage) {
  docker_.On("POST /images/create", {{200, "", FakeResponse::Way::kReset}});
  docker_.On("GET /images/base/json", 404, R"({"message":"No such image"})");
  EXPECT_EQ(PrepareError().code(), ErrorCode::kUnavailable);
}

TEST_F(EngineRestart, LeavesACancelledRunCancelled) {
  const Error error = UnlessEngineLeft(context_->engine, kContainerId, Cancelled("stopped"), {});
  EXPECT_EQ(error.code(), ErrorCode::kCancelled);
}

TEST_F(EngineRestart, IsMeantWhereTheEngineDoesNotRespond) {
  docker_.On("GET /_ping", {{200, "", FakeResponse::Way::kReset}});
  const Error error = UnlessEngineLeft(context_->engine, "", Internal("exit code 137"), {});
  EXPECT_EQ(error.code(), ErrorCode::kUnavailable);
  EXPECT_THAT(error.message(), HasSubstr("exit code 137"));
}

}  // namespace
}  // namespace mlprof::server::docker
