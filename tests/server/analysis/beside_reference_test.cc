#include "server/analysis/beside_reference.h"

#include <gtest/gtest.h>

#include <array>

namespace mlprof::server {
namespace {

// So many requests of twenty rows, each of them `ms`; in a closed loop with one in flight.
Look Even(double ms, std::size_t requests = 200) {
  Look look;
  for (std::size_t i = 0; i < requests; ++i) {
    look.visits.push_back(
        {static_cast<std::uint32_t>(i % 20), static_cast<std::uint32_t>(ms * 1000)});
  }
  look.requests_per_second = 1000 / ms;
  return look;
}

TEST(CompareTest, JudgesByTheMedianReference) {
  const std::array<Look, 3> looks = {Even(9), Even(10), Even(30)};
  const BesideReference beside = Compare(Even(12), looks);
  EXPECT_EQ(beside.p95_ms, 12);
  EXPECT_EQ(beside.reference_p95_ms, 10);
  EXPECT_NEAR(*beside.rate, 83.3, 0.1);
  EXPECT_NEAR(*beside.reference_rate, 100, 0.1);
}

TEST(CompareTest, TakesTheMeanOfTheMiddleTwo) {
  const std::array<Look, 2> looks = {Even(10), Even(20)};
  EXPECT_EQ(Compare(Even(12), looks).reference_p95_ms, 15);
}

TEST(CompareTest, HasNothingToSayWithoutAReference) {
  const BesideReference beside = Compare(Even(12), {});
  EXPECT_FALSE(beside.reference_p95_ms);
  EXPECT_FALSE(beside.reference_rate);
  EXPECT_FALSE(beside.tail);
}

TEST(CompareTest, LeavesLooksOfFewRequestsAloneWhereThereAreOthers) {
  const std::array<Look, 3> looks = {Even(3, 20), Even(4, 20), Even(10)};
  EXPECT_EQ(Compare(Even(12), looks).reference_p95_ms, 10);
  EXPECT_EQ(Compare(Even(12), std::span(looks).first(1)).reference_p95_ms, 3);
}

// Ten of a hundred rows are heavy. One load reached all rows, the other none of the heavy ones.
Look Reached(std::uint32_t rows) {
  Look look;
  double sum_ms = 0;
  for (std::uint32_t row = 0; row < rows; ++row) {
    const std::uint32_t ms = row < 90 ? 10 : 100;
    look.visits.push_back({row, ms * 1000});
    sum_ms += ms;
  }
  look.requests_per_second = rows / sum_ms * 1000;
  return look;
}

TEST(CompareTest, ComparesTheRowsThatBothSidesReached) {
  const std::array<Look, 1> all = {Reached(100)};
  const BesideReference beside = Compare(Reached(90), all);
  EXPECT_EQ(beside.p95_ms, 10);
  EXPECT_EQ(beside.reference_p95_ms, 10);
  EXPECT_NEAR(*beside.rate, *beside.reference_rate, 1e-6);
}

// Of a hundred rows of 51 ms so many take `heavy_ms`.
Look Heavy(std::uint32_t heavy, std::uint32_t heavy_ms) {
  Look look;
  for (std::uint32_t i = 0; i < 200; ++i) {
    look.visits.push_back({i % 100, i % 100 < heavy ? heavy_ms * 1000 : 51'000U});
  }
  return look;
}

TEST(CompareTest, JudgesTheHeavyRowsWhereP95LiesNextToThem) {
  for (const std::uint32_t heavy : {3U, 4U, 5U, 6U, 7U}) {
    const std::array<Look, 1> looks = {Heavy(heavy, 91)};
    const BesideReference beside = Compare(Heavy(heavy, 140), looks);
    EXPECT_EQ(beside.p95_ms, 140) << heavy;
    EXPECT_EQ(beside.reference_p95_ms, 91) << heavy;
    EXPECT_TRUE(beside.at_edge);
  }
  const std::array<Look, 1> few = {Heavy(2, 91)};
  EXPECT_EQ(Compare(Heavy(2, 140), few).p95_ms, 51);
  EXPECT_FALSE(Compare(Heavy(2, 140), few).at_edge);
}

// Of 400 requests of 1 ms every fiftieth takes `slow_ms`, while the quota stopped the container or
// not.
Look WithSlowOnes(double slow_ms, bool throttled, std::size_t requests = 400) {
  Look look = Even(1, requests);
  for (std::size_t i = 0; i < requests; i += 50) {
    look.visits[i].latency_us = static_cast<std::uint32_t>(slow_ms * 1000);
    look.visits[i].throttled = throttled;
  }
  return look;
}

Tail TailBeside(const Look& run, std::size_t reference_requests = 400) {
  const std::array<Look, 1> looks = {Even(1, reference_requests)};
  return Compare(run, looks).tail.value_or(Tail());
}

TEST(TailTest, FailsWhereTheQuotaStoppedMoreThanOneInAHundredForTooLong) {
  EXPECT_TRUE(TailBeside(WithSlowOnes(50, true)).Fails());
  EXPECT_FALSE(TailBeside(WithSlowOnes(2.4, true)).Fails());  // 1.5 × 1 + 1 ms
  EXPECT_TRUE(TailBeside(WithSlowOnes(2.4, true)).Slowed());
}

TEST(TailTest, CountsNoRequestThatTheQuotaDidNotStop) {
  EXPECT_FALSE(TailBeside(WithSlowOnes(50, false)).Fails());
  EXPECT_FALSE(TailBeside(WithSlowOnes(50, false)).Slowed());
}

TEST(TailTest, FailsFromItsCountOnOnly) {
  EXPECT_FALSE(TailBeside(WithSlowOnes(50, true, 280)).Fails());
  EXPECT_TRUE(TailBeside(WithSlowOnes(50, true, 280)).Slowed());
  EXPECT_FALSE(TailBeside(WithSlowOnes(50, true), 280).Fails());
}

TEST(TailTest, TakesReferencesThatAreAFewShortOfItsCountTogether) {
  const std::array<Look, 2> looks = {Even(1, 294), Even(1, 294)};
  EXPECT_TRUE(Compare(WithSlowOnes(50, true), looks).tail->Fails());
  EXPECT_FALSE(Compare(WithSlowOnes(50, true, 280), looks).tail->Fails());
  const std::array<Look, 2> brief = {Even(1, 100), Even(1, 100)};
  EXPECT_FALSE(Compare(WithSlowOnes(50, true), brief).tail->Fails());
}

}  // namespace
}  // namespace mlprof::server
