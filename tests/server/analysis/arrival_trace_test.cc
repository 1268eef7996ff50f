#include "server/analysis/arrival_trace.h"

#include <gtest/gtest.h>

namespace mlprof::server {
namespace {

std::string Refusal(const Rows& rows) {
  const auto times = ReadArrivalTimes(rows);
  return times ? "" : times.error().message();
}

TEST(ArrivalTraceTest, CountsFromItsFirstTime) {
  const auto times = ReadArrivalTimes({"1700000000.5", "1700000001", "1700000001", "1700000003.5"});
  ASSERT_TRUE(times);
  EXPECT_EQ(times->seconds, (std::vector<double>{0, 0.5, 0.5, 3}));
  EXPECT_DOUBLE_EQ(RateOf(*times), 1);
}

TEST(ArrivalTraceTest, ReadsTimestamps) {
  const auto times = ReadArrivalTimes({"2026-11-20T19:10:00Z\r", " 2026-11-20T19:10:00.250Z"});
  ASSERT_TRUE(times);
  EXPECT_NEAR(times->seconds.back(), 0.25, 1e-6);
}

TEST(ArrivalTraceTest, NamesTheRowThatIsNoTime) {
  EXPECT_NE(Refusal({"1", "soon"}).find("row 1 is no time"), std::string::npos);
  EXPECT_NE(Refusal({"1", "3", "2"}).find("row 2 is earlier"), std::string::npos);
  EXPECT_NE(Refusal({"1", "nan"}).find("row 1"), std::string::npos);
}

TEST(ArrivalTraceTest, WantsTimeToPass) {
  EXPECT_NE(Refusal({"1"}).find("fewer than two"), std::string::npos);
  EXPECT_NE(Refusal({"1", "1"}).find("no time passes"), std::string::npos);
}

}  // namespace
}  // namespace mlprof::server
