#include <gtest/gtest.h>

#include "server/runtime/docker/engine_values.h"

namespace mlprof::server::docker {
namespace {

TEST(RestartedEngineTest, HasForgottenThatItStartedAContainer) {
  EXPECT_TRUE(RestartedSince({}, 0));
  EXPECT_TRUE(RestartedSince({"kill", "die"}, 5));
}

TEST(RestartedEngineTest, IsNotOneThatRemembersTheStart) {
  EXPECT_FALSE(RestartedSince({"create", "start", "oom", "die"}, 10));
}

TEST(RestartedEngineTest, IsNotOneThatMayHaveHadNoRoomForIt) {
  EXPECT_FALSE(RestartedSince({"die"}, 256));
}

}  // namespace
}  // namespace mlprof::server::docker
