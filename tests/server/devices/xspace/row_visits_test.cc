// Which row was under way when, on a trace's clock.
#include "server/devices/xspace/row_visits.h"

#include <gtest/gtest.h>

#include "tests/server/devices/xspace/recorded_rows.h"

namespace mlprof::server::xspace {
namespace {

using std::chrono::microseconds;

TEST(RowVisitsTest, AreThoseThatWereAnsweredAndRecordedFromBeginningToEnd) {
  RowTime failed = At(6, 70, 80);
  failed.succeeded = false;
  const Recorded recorded(HostTrace(), {At(1, -5, 20), At(2, 250, 310), At(3, 250, 300),
                                        At(4, 5, 65), At(5, 0, 1), At(7, 400, 500), failed});
  ASSERT_EQ(recorded.visits.visits.size(), 3U);
  EXPECT_EQ(recorded.visits.visits[0].row, 5U);  // by start
  EXPECT_EQ(recorded.visits.visits[1].row, 4U);
  EXPECT_EQ(recorded.visits.visits[1].span.start_ps, 5 * kPsOfUs);
  EXPECT_EQ(recorded.visits.visits[1].span.duration_ps, 60 * kPsOfUs);
  EXPECT_EQ(recorded.visits.visits[2].row, 3U);
  ASSERT_EQ(recorded.visits.others.size(), 3U);  // 1, 2 and 6; 7 came when all was over
  EXPECT_EQ(recorded.visits.others[0].start_ps, 0);
  EXPECT_EQ(recorded.visits.others[0].end_ps(), 20 * kPsOfUs);
}

TEST(RowVisitsTest, LieWhereTheProfilerHearsTheHostAndItsDevices) {
  MadePlane host("/host:CPU");
  const auto launch = host.Name("launch");
  host.Line(MadeLine("thread", {MadeEvent(launch, 100, 900)}));
  MadePlane gpu("/device:GPU:0");
  const auto kernel = gpu.Name("gemm");
  gpu.Line(MadeLine("Stream #1", {MadeEvent(kernel, 300, 10), MadeEvent(kernel, 590, 10)}));
  MadePlane environment("Task Environment");
  const auto start = environment.StatName("profile_start_time");
  environment.Stat(NumberStat(start, kStartNs));
  const Recorded recorded(
      Message().Sub(1, host.message()).Sub(1, gpu.message()).Sub(1, environment.message()).bytes(),
      {At(1, 10, 90), At(2, 110, 290), At(3, 300, 500), At(4, 550, 700)});
  ASSERT_EQ(recorded.visits.visits.size(), 1U);
  EXPECT_EQ(recorded.visits.visits[0].row, 3U);
  EXPECT_EQ(recorded.visits.others.size(), 3U);
}

TEST(RowVisitsTest, AreNotKnownWhereTheTraceDoesNotTellWhenItBegan) {
  const std::string bytes = HostTrace(false);
  EXPECT_FALSE(VisitsDuring(*ReadTrace(bytes), {At(4, 5, 65)}));
}

TEST(RowVisitsTest, AStartThatIsNoTimeOfDayIsNone) {
  for (const std::uint64_t start :
       {std::uint64_t{0}, std::uint64_t{12}, ~std::uint64_t{0}, std::uint64_t{1} << 63U}) {
    MadePlane environment("Task Environment");
    const auto stat = environment.StatName("profile_start_time");
    environment.Stat(NumberStat(stat, start));
    const std::string bytes = Message().Sub(1, environment.message()).bytes();
    EXPECT_FALSE(ReadTrace(bytes)->start_unix_ns) << start;
  }
}

TEST(RowVisitsTest, LinesWithTheTimeOfDayTellWhenTheTraceBegan) {
  MadePlane host("/host:CPU");
  const auto name = host.Name("dot.1");
  Message line = MadeLine("thread", {MadeEvent(name, 0, 10)});
  line.Number(3, kStartNs);
  host.Line(line);
  const std::string bytes = Message().Sub(1, host.message()).bytes();
  EXPECT_EQ(ReadTrace(bytes)->start_unix_ns, static_cast<std::int64_t>(kStartNs));
}

TEST(RowVisitsTest, TheSlowestAreAShareOfAllAndOneAtLeast) {
  RowVisits all;
  for (std::uint32_t i = 0; i < 200; ++i) {
    all.visits.push_back({i, {std::int64_t{i} * 1000, i == 7 ? 500 : i == 150 ? 400 : 10}});
  }
  const auto slowest = SlowestVisits(1, all);
  ASSERT_EQ(slowest.size(), 2U);
  EXPECT_EQ(slowest[0].row, 7U);
  EXPECT_EQ(slowest[1].row, 150U);
  EXPECT_EQ(SlowestVisits(0.001, all).size(), 1U);
  EXPECT_EQ(SlowestVisits(100, all).size(), 200U);
  EXPECT_TRUE(SlowestVisits(1, {}).empty());
}

TEST(RowVisitsTest, AreReadAsTheyWereWrittenHoweverMany) {
  RowVisits written;
  for (std::uint32_t i = 0; i < kMostVisits; ++i) {
    written.visits.push_back({~i, {1'234'567'891LL * i, 987'654'321}});
  }
  written.others = {SpanOfUs(3, 9)};
  written.left_out = 3;
  const auto read = ReadRowVisits(WriteRowVisits(written));
  ASSERT_TRUE(read) << read.error().message();
  ASSERT_EQ(read->visits.size(), kMostVisits);
  for (const std::size_t i : {std::size_t{0}, std::size_t{17}, kMostVisits - 1}) {
    EXPECT_EQ(read->visits[i].row, written.visits[i].row);
    EXPECT_NEAR(static_cast<double>(read->visits[i].span.start_ps),
                static_cast<double>(written.visits[i].span.start_ps), 1000);
    EXPECT_NEAR(static_cast<double>(read->visits[i].span.duration_ps), 987'654'321, 1000);
  }
  ASSERT_EQ(read->others.size(), 1U);
  EXPECT_EQ(read->others[0].start_ps, 3 * kPsOfUs);
  EXPECT_EQ(read->left_out, 3U);
}

TEST(RowVisitsTest, WhatIsWrittenOfAHostileTraceCanBeRead) {
  // It claims to have begun eleven hours ago, and to go on for longer than any trace.
  MadePlane host("/host:CPU");
  const auto name = host.Name("dot.1");
  Message line =
      MadeLine("thread", {MadeEvent(name, 0, 36'000'000'000), MadeEvent(name, 36'000'000'000, 1)});
  line.Number(3, 35'999'999'999'999);
  host.Line(line);
  MadePlane environment("Task Environment");
  environment.Stat(NumberStat(environment.StatName("profile_start_time"), kStartNs));
  const Recorded recorded(
      Message().Sub(1, host.message()).Sub(1, environment.message()).bytes(),
      {{7, std::chrono::nanoseconds(kStartNs) + std::chrono::hours(11),
        std::chrono::nanoseconds(kStartNs) + std::chrono::hours(11) + microseconds(1)}});
  EXPECT_TRUE(ReadRowVisits(WriteRowVisits(recorded.visits)));
}

TEST(RowVisitsTest, WhatIsDamagedIsRefused) {
  for (const char* text :
       {"", "[]", "{}", R"({"visits":{},"others":[]})", R"({"visits":[7],"others":[]})",
        R"({"visits":[]})", R"({"visits":[{"row":-1,"fromMs":0,"toMs":1}],"others":[]})",
        R"({"visits":[{"row":1,"fromMs":2,"toMs":1}],"others":[]})",
        R"({"visits":[{"row":1,"fromMs":2,"toMs":1e300}],"others":[]})",
        R"({"visits":[{"row":1,"fromMs":"2","toMs":3}],"others":[]})",
        R"({"visits":[],"others":[{"fromMs":2}]})"}) {
    EXPECT_FALSE(ReadRowVisits(text)) << text;
  }
}

}  // namespace
}  // namespace mlprof::server::xspace
