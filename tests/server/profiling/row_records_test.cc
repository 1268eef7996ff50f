#include "server/profiling/phases/row_records.h"

#include <gtest/gtest.h>

namespace mlprof::server::phases {
namespace {

RequestRecord Request(std::uint32_t row, std::uint32_t latency_us,
                      std::optional<std::uint32_t> cpu_us, std::uint16_t status = 200) {
  RequestRecord request;
  request.row = row;
  request.latency_us = latency_us;
  request.cpu_us = cpu_us;
  request.http_status = status;
  return request;
}

TEST(RowRecordsTest, TakeMediansOverTheReplaysOfARow) {
  ReplayResult replay;
  replay.requests = {Request(1, 9000, 5000), Request(1, 10000, 6000), Request(1, 90000, 5500)};
  const HeldRows rows({"a", "bb"});
  const auto records = MakeRowRecords(rows, replay);
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].row, 1);
  EXPECT_EQ(records[0].size, Bytes(2));
  EXPECT_EQ(records[0].replays, 3);
  EXPECT_EQ(records[0].latency_ms, 10.0);
  EXPECT_EQ(records[0].cpu_ms, 5.5);
}

TEST(RowRecordsTest, LeaveAFailedRowWithoutFigures) {
  ReplayResult replay;
  replay.requests = {Request(0, 100, 50, 500)};
  const HeldRows rows({"a"});
  const auto records = MakeRowRecords(rows, replay);
  EXPECT_EQ(records.at(0).status, 500);
  EXPECT_FALSE(records.at(0).latency_ms);
  EXPECT_FALSE(records.at(0).cpu_ms);
}

TEST(RowRecordsTest, TellTheFirstVisitApartWhereThereWasALaterOne) {
  ReplayResult replay;
  replay.requests = {Request(0, 300'000, 290'000), Request(1, 51'000, 1'000),
                     Request(2, 52'000, 1'100), Request(0, 50'000, 1'000),
                     Request(0, 50'500, 1'200)};
  const std::vector<RequestRecord> warm_up = {Request(1, 351'000, 301'000)};
  const HeldRows rows({"a", "b", "c"});
  const auto records = MakeRowRecords(rows, replay, warm_up);
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[0].first_latency_ms, 300);
  EXPECT_EQ(records[0].latency_ms, 50.5);
  EXPECT_EQ(records[0].cpu_ms, 1.2);
  EXPECT_EQ(records[1].first_latency_ms, 351);
  EXPECT_EQ(records[1].first_cpu_ms, 301);
  EXPECT_EQ(records[1].latency_ms, 51);
  EXPECT_FALSE(records[2].first_latency_ms) << "it was visited once";
}

TEST(LaterVisitsTest, LeaveOutTheFirstOfEachRow) {
  const std::vector<RequestRecord> warm_up = {Request(1, 351'000, 301'000)};
  const std::vector<RequestRecord> pass = {Request(0, 300'000, 290'000), Request(1, 51'000, 1'000),
                                           Request(0, 50'000, 1'200)};
  EXPECT_EQ(LaterVisits(warm_up, pass).size(), 2U);
  EXPECT_NEAR(*MeanCpuSeconds(LaterVisits(warm_up, pass)), 0.0011, 1e-9);
  EXPECT_EQ(LaterVisits({}, std::span(pass).first(1)).size(), 1U) << "better than none";
}

TEST(HeavyRowsTest, AreTheHeaviestByCpuByLatencyAndBySize) {
  std::vector<RowRecord> records(20);
  for (int i = 0; i < 20; ++i) {
    records[static_cast<std::size_t>(i)].row = i;
    records[static_cast<std::size_t>(i)].cpu_ms = i;
    records[static_cast<std::size_t>(i)].latency_ms = 20;
    records[static_cast<std::size_t>(i)].size = Bytes(100 - i);
  }
  records[10].latency_ms = 300;
  const auto heavy = HeavyRows(records);
  for (const std::uint32_t row : {19U, 15U, 10U, 0U, 4U}) {
    EXPECT_NE(std::find(heavy.begin(), heavy.end(), row), heavy.end()) << row;
  }
  EXPECT_LE(heavy.size(), 15U);
  EXPECT_TRUE(HeavyRows({}).empty());
}

TEST(UnhinderedCoresTest, DoesNotFallWhenOtherWorkHoldsRowsUp) {
  ReplayResult quiet;
  quiet.requests = {Request(0, 10'000, 9'900), Request(1, 20'000, 19'800)};
  ReplayResult busy = quiet;
  busy.requests.push_back(Request(0, 70'000, 9'900));
  busy.requests.push_back(Request(1, 50'000, 19'800));
  EXPECT_NEAR(*UnhinderedCores(quiet.requests), 0.99, 1e-9);
  EXPECT_NEAR(*UnhinderedCores(busy.requests), 0.99, 1e-9);
}

TEST(UnhinderedCoresTest, TakesTheShortestLatencyOfReplaysWithoutAttributionToo) {
  ReplayResult replay;
  replay.requests = {Request(0, 16'000, 9'900), Request(0, 10'000, std::nullopt),
                     Request(1, 50'000, std::nullopt)};
  EXPECT_NEAR(*UnhinderedCores(replay.requests), 0.99, 1e-9);
}

TEST(UnhinderedCoresTest, SaysNothingWithoutAttributedRows) {
  ReplayResult replay;
  replay.requests = {Request(0, 10'000, std::nullopt)};
  EXPECT_FALSE(UnhinderedCores(replay.requests));
  EXPECT_FALSE(MeanCpuSeconds(replay.requests));
}

}  // namespace
}  // namespace mlprof::server::phases
