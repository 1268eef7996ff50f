#include "server/analysis/delayed_ack.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace mlprof::server {
namespace {

// Of 20 rows in turn, `count` of them.
template <class Latency>
std::vector<Visit> Served(int count, Latency latency_ms) {
  std::vector<Visit> visits;
  for (int i = 0; i < count; ++i) {
    visits.push_back({static_cast<std::uint32_t>(i % 20),
                      static_cast<std::uint32_t>(1000 * latency_ms(i)), false});
  }
  return visits;
}

TEST(DelayedAckTest, IsFoundWhereRowsAreQuickOverNewConnections) {
  const auto kept = Served(200, [](int) { return 43.9; });
  const auto fresh = Served(200, [](int) { return 3.0; });
  const auto found = FindDelayedAck(kept, fresh);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->share, 1);
  EXPECT_NEAR(found->median_ms, 43.9, 0.01);
  EXPECT_NEAR(found->quick_ms, 3, 0.01);
}

TEST(DelayedAckTest, IsFoundWhereTheSameRowsAreQuickAtOtherTimes) {
  const auto kept = Served(400, [](int i) { return (i / 20) % 4 == 0 ? 44.0 : 4.0; });
  EXPECT_NEAR(FindDelayedAck(kept, {})->share, 0.25, 0.01);
}

TEST(DelayedAckTest, IsNoneOfRowsThatSimplyTakeThatLong) {
  const auto all = Served(400, [](int) { return 44.0; });
  EXPECT_FALSE(FindDelayedAck(all, all));
  const auto some = Served(400, [](int i) { return i % 20 < 5 ? 44.0 : 4.0; });
  EXPECT_FALSE(FindDelayedAck(some, some));
}

TEST(DelayedAckTest, IsNoneOfRowsThatQueueForEachOther) {
  // Exponential, of mean 40 ms.
  const auto queued =
      Served(2000, [](int i) { return -40 * std::log((i * 7919 % 2000 + 0.5) / 2000); });
  EXPECT_FALSE(FindDelayedAck(queued, {}));
  // Eight in flight of 5 ms each: the first few are quick.
  const auto closed = Served(200, [](int i) { return std::min(i + 1, 8) * 5.4; });
  EXPECT_FALSE(FindDelayedAck(closed, {}));
}

TEST(DelayedAckTest, IsNoneOfAFewSlowResponses) {
  EXPECT_FALSE(FindDelayedAck(Served(400, [](int i) { return i % 50 == 0 ? 44.0 : 4.0; }), {}));
  EXPECT_FALSE(FindDelayedAck({}, {}));
}

}  // namespace
}  // namespace mlprof::server
