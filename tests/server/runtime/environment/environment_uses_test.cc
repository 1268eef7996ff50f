#include "server/runtime/environment/environment_uses.h"

#include <gtest/gtest.h>

#include <future>

#include "tests/server/storage/temporary_directory.h"

namespace mlprof::server::environment {
namespace {

const Timestamp kThen{std::chrono::milliseconds(1'790'000'000'123)};
const std::string kEnvironment = "0123456789abcdef";
Patience Shortly() { return Patience(Deadline::After(std::chrono::seconds(10))); }

class EnvironmentUsesTest : public ::testing::Test {
 protected:
  TemporaryDirectory folder_;
  EnvironmentUses uses_{folder_ / "environments"};
};

TEST_F(EnvironmentUsesTest, OutliveTheServer) {
  EXPECT_FALSE(uses_.LastUse(kEnvironment));
  ASSERT_TRUE(uses_.Use(kEnvironment, kThen, Shortly()));
  EXPECT_EQ(uses_.LastUse(kEnvironment), kThen);
  EXPECT_EQ(EnvironmentUses(folder_ / "environments").LastUse(kEnvironment), kThen);
  uses_.Forget(kEnvironment);
  EXPECT_FALSE(EnvironmentUses(folder_ / "environments").LastUse(kEnvironment));
}

TEST_F(EnvironmentUsesTest, AreRememberedWhereTheDiskTakesNoNote) {
  EnvironmentUses uses("/dev/null/environments");
  ASSERT_TRUE(uses.Use(kEnvironment, kThen, Shortly()));
  EXPECT_EQ(uses.LastUse(kEnvironment), kThen);
}

TEST_F(EnvironmentUsesTest, KeepAnImageFromRemovalThatWasUsedSinceItWasSeen) {
  ASSERT_TRUE(uses_.Use(kEnvironment, kThen, Shortly()));
  EXPECT_FALSE(uses_.BeginRemoval(kEnvironment, kThen - std::chrono::seconds(1)));
  const auto removal = uses_.BeginRemoval(kEnvironment, kThen);
  EXPECT_TRUE(removal);
  EXPECT_FALSE(uses_.BeginRemoval(kEnvironment, kThen)) << "twice at once";
}

TEST_F(EnvironmentUsesTest, WaitForARemovalUntilTheirCallerGivesUp) {
  auto removal = uses_.BeginRemoval(kEnvironment, kThen);
  ASSERT_TRUE(removal);
  EXPECT_TRUE(uses_.Use("fedcba9876543210", kThen, Shortly())) << "of another";
  const Patience none(Deadline::After(std::chrono::seconds(0)));
  EXPECT_EQ(uses_.Use(kEnvironment, kThen, none).error().code(), ErrorCode::kDeadlineExceeded);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(
      uses_.Use(kEnvironment, kThen, {Deadline::After(std::chrono::hours(1)), stop.get_token()})
          .error()
          .code(),
      ErrorCode::kCancelled);
  auto use =
      std::async(std::launch::async, [this] { return uses_.Use(kEnvironment, kThen, Shortly()); });
  removal.reset();
  EXPECT_TRUE(use.get());
}

}  // namespace
}  // namespace mlprof::server::environment
