#include "server/runtime/clock_offset.h"

#include <gtest/gtest.h>

#include <vector>

namespace mlprof::server {
namespace {

using namespace std::chrono_literals;

// The agent's clock is `ahead`; the ways there and back take so long.
ClockExchange Exchange(std::chrono::nanoseconds at, std::chrono::nanoseconds ahead,
                       std::chrono::nanoseconds there, std::chrono::nanoseconds back) {
  return {at, at + there + ahead, at + there + back};
}

TEST(ClockOffsetTest, IsThatOfTheExchangeThatTookLeast) {
  const std::vector<ClockExchange> exchanges = {
      Exchange(1s, 5s, 30ms, 1ms), Exchange(2s, 5s, 100us, 100us), Exchange(3s, 5s, 1ms, 30ms)};
  const ClockOffset offset = EstimateClockOffset(exchanges);
  EXPECT_EQ(offset.ahead, 5s);
  EXPECT_EQ(offset.error, 100us);
  EXPECT_EQ(offset.Here(17s), 12s);
  EXPECT_EQ(offset.There(12s), 17s);
}

TEST(ClockOffsetTest, IsNegativeForAClockThatIsBehind) {
  const std::vector<ClockExchange> exchanges = {Exchange(90s, -80s, 1ms, 1ms)};
  EXPECT_EQ(EstimateClockOffset(exchanges).ahead, -80s);
  EXPECT_EQ(EstimateClockOffset(exchanges).Here(10s), 90s);
}

TEST(ClockOffsetTest, IsNeverFurtherOffThanItsError) {
  for (const auto there : {0us, 1us, 50us, 99us, 100us}) {
    const std::vector<ClockExchange> exchanges = {Exchange(1s, 3s, there, 100us - there)};
    const ClockOffset offset = EstimateClockOffset(exchanges);
    EXPECT_LE(std::chrono::abs(offset.ahead - 3s), offset.error) << there.count();
    EXPECT_EQ(offset.error, 50us);
  }
}

TEST(ClockOffsetTest, IsNoneOnOneMachineHoweverUnevenTheWaysAre) {
  for (const auto there : {0ns, 1ns, 50'000ns, 99'999ns, 100'001ns}) {
    const std::vector<ClockExchange> exchanges = {Exchange(1s, 0ns, there, 100'001ns - there)};
    EXPECT_EQ(EstimateClockOffset(exchanges).ahead, 0ns) << there.count();
  }
  EXPECT_EQ(EstimateClockOffset({}).ahead, 0ns);
}

}  // namespace
}  // namespace mlprof::server
