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

TEST(ArrivalTraceTest, RefusesTimesThatCannotBeCountedWith) {
  const std::string refusal = "its times are too close together or too far apart";
  EXPECT_EQ(Refusal({"-1e308", "1e308"}), refusal);
  EXPECT_EQ(Refusal({"0", "5e-324", "5e-324"}), refusal);
  EXPECT_EQ(Refusal({"0", "1e300"}), refusal);
  EXPECT_EQ(Refusal({"0", "1e-6"}), "");
}

TEST(ArrivalTraceTest, IsBusiestWhereMostComeWithinATime) {
  const ArrivalTimes times{{0, 10, 20, 20.5, 21, 30, 30.9, 40}};
  EXPECT_EQ(BusiestStart(times, 2), 2u);
  EXPECT_EQ(BusiestStart(times, 0.6), 2u);
  EXPECT_EQ(BusiestStart(times, 100), 0u);
  EXPECT_EQ(BusiestStart(times, 0.1), 0u);
}

}  // namespace
}  // namespace mlprof::server
