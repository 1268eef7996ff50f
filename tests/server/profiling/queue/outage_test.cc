#include "server/profiling/queue/outage.h"

#include <gtest/gtest.h>

namespace mlprof::server {
namespace {

using std::chrono::seconds;

TEST(OutageTest, IsLoggedWhenItBeginsOnceAMinuteAndWhenItIsOver) {
  Outage outage("it lasts", "it is over");
  const Outage::Time begin{};
  int logged = 0;
  for (int second = 0; second < 120; ++second) {
    for (int times = 0; times < 100; ++times) {
      if (outage.Failed("the disk is full", begin + seconds(second))) ++logged;
    }
  }
  EXPECT_EQ(logged, 2);
  EXPECT_EQ(outage.cause(), "the disk is full");
  EXPECT_TRUE(outage.Over(begin + seconds(120)));
  EXPECT_FALSE(outage.Over(begin + seconds(120)));
  EXPECT_FALSE(outage.cause().has_value());
}

}  // namespace
}  // namespace mlprof::server
