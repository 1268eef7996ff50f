#include "server/profiling/phases/proof_load.h"

#include <gtest/gtest.h>

namespace mlprof::server::phases {
namespace {

using namespace std::chrono_literals;

Yardstick At(double requests_per_second, const Objective& objective = {}) {
  Yardstick yardstick{{Cpuset::Whole(2), {}, {}}, {objective, 1, 40, {}}, {}, {}};
  Look look;
  look.requests_per_second = requests_per_second;
  yardstick.reference.looks = {look};
  return yardstick;
}

Objective WithP99(double ms) {
  Objective objective;
  objective.latency_ms = {{"p99", ms}};
  return objective;
}

ReplayResult Sent(std::size_t requests, std::chrono::nanoseconds time) {
  ReplayResult sent;
  sent.requests.resize(requests);
  sent.ended = time;
  return sent;
}

ReplayPlan FourRows() {
  ReplayPlan plan;
  plan.order = {0, 1, 2, 3};
  plan.max_time = 3100ms;
  return plan;
}

Tail Slow(double share) { return {30, 12, share, share, true}; }

TEST(ProofLoadTest, OfAClosedLoopEndsWithItsCountsAndThePeriodsOfTheQuota) {
  const LoadTime slow = ProofLoad(At(5), Cores(1.0), 60s);
  EXPECT_EQ(slow.time, 3100ms);
  EXPECT_EQ(slow.min_requests, 59u);
  EXPECT_EQ(slow.longest, 60s);
  const LoadTime usual = ProofLoad(At(50), Cores(1.0), 60s);
  EXPECT_EQ(usual.min_requests, 299u);
  EXPECT_EQ(usual.longest, 20s);
}

TEST(ProofLoadTest, OfALatencyAsksForItsCountHoweverLongThatTakesAtTheLimit) {
  // Eight times the requests come in time at the ceiling, and none of that is known of the limit.
  const LoadTime load = ProofLoad(At(800, WithP99(500)), Cores(1.0), 60s);
  EXPECT_EQ(load.min_requests, 299u);
  EXPECT_EQ(load.longest, 60s);
}

TEST(ProofLoadTest, GoesOnAfterItsBeginningForWhatIsLeft) {
  ReplayPlan plan = FourRows();
  plan.max_time = 3100ms;
  plan.min_requests = 300;
  plan.hard_max_time = 20s;
  const auto rest = AfterBeginning(plan, Sent(150, 3s));
  ASSERT_TRUE(rest);
  EXPECT_EQ(rest->order, (std::vector<std::uint32_t>{2, 3, 0, 1}));
  EXPECT_EQ(*rest->max_time, 1s);
  EXPECT_EQ(rest->min_requests, 150u);
  EXPECT_EQ(*rest->hard_max_time, 17s);
  const auto least = AfterBeginning(plan, Sent(300, 3100ms));
  ASSERT_TRUE(least);
  EXPECT_EQ(*least->max_time, 1s);
  EXPECT_EQ(least->min_requests, 0u);
  EXPECT_FALSE(AfterBeginning(plan, Sent(20, 19500ms)));
}

Objective WithP95(double ms) {
  Objective objective;
  objective.latency_ms = {{"p95", ms}};
  return objective;
}

// Rows of 10 ms that compute all the time.
Yardstick OfRate(double requests_per_second, Objective objective = WithP95(50)) {
  objective.requests_per_second = requests_per_second;
  Yardstick yardstick = At(requests_per_second, objective);
  yardstick.workload.row_times = {0.01, 1e-4, 0.01};
  return yardstick;
}

TEST(ProofLoadTest, OfARateGoesOnUntilItsQueueHasForgottenAHundredTimes) {
  // 2 * 40 * 1e-4 / 0.6^2 = 22 ms: the periods of the quota take longer.
  EXPECT_EQ(ProofLoad(OfRate(40), Cores(1.0), 60s).time, 3100ms);
  const auto fuller = ProofLoad(OfRate(55), Cores(1.0), 60s).time;
  EXPECT_GT(fuller, 5400ms);
  EXPECT_LT(fuller, 5500ms);
  // With half a core its rows take 20 ms: four in five of the time, for 0.8 s.
  EXPECT_EQ(ProofLoad(OfRate(40), Cores(0.5), 60s).time, 10s);
}

TEST(ProofLoadTest, OfARateGoesOnForTenSecondsWhereNoLatencyIsAskedFor) {
  EXPECT_EQ(ProofLoad(OfRate(40, {}), Cores(1.0), 60s).time, 10s) << "p99 is judged as well";
}

TEST(ProofLoadTest, OfARateHasFiveTimesTheRequestsThatItsLatencyTakes) {
  EXPECT_EQ(ProofLoad(OfRate(40), Cores(1.0), 60s).min_requests, 295u);
  EXPECT_EQ(ProofLoad(OfRate(40, WithP99(50)), Cores(1.0), 60s).min_requests, 5 * 299u);
}

TEST(ProofLoadTest, OfARateWhoseQueueIsNotKnownGoesOnForTenSeconds) {
  Objective objective;
  objective.requests_per_second = 20;
  const LoadTime load = ProofLoad(At(20, objective), Cores(1.0), 60s);
  EXPECT_EQ(load.time, 10s);
  EXPECT_EQ(load.until, 0s);
}

// So many requests of four rows, each of which took as long as all of them in turn.
ReplayResult SentInTurn(std::size_t requests, std::chrono::milliseconds each) {
  ReplayResult sent = Sent(requests, static_cast<int>(requests) * each);
  for (std::size_t i = 0; i < requests; ++i) {
    sent.requests[i].row = static_cast<std::uint32_t>(i % 4);
    sent.requests[i].latency_us = static_cast<std::uint32_t>(1000 * each.count());
    sent.requests[i].http_status = 200;
  }
  return sent;
}

TEST(FirstBlockTest, IsABlockOfRowsAndASecondAtTheLeast) {
  ReplayPlan plan = FourRows();
  plan.min_requests = 59;
  plan.hard_max_time = 20s;
  const ReplayPlan block = FirstBlockOf(plan);
  EXPECT_EQ(block.max_time, 1100ms);
  EXPECT_EQ(block.min_requests, 20u);
  EXPECT_EQ(block.hard_max_time, 20s);
}

TEST(FirstBlockTest, HasMissedWhereEveryRowOfItTookTooLong) {
  Objective objective;
  objective.latency_ms = {{"p95", 100}};
  EXPECT_TRUE(HasMissed(objective, FourRows(), SentInTurn(20, 200ms)));
  EXPECT_FALSE(HasMissed(objective, FourRows(), SentInTurn(20, 90ms)));
  EXPECT_FALSE(HasMissed({}, FourRows(), SentInTurn(20, 200ms)));
  EXPECT_FALSE(HasMissed(objective, FourRows(), ReplayResult()));
}

TEST(FirstBlockTest, OfWhichARowFailedShowsNothingYet) {
  Objective objective;
  objective.latency_ms = {{"p95", 100}};
  ReplayResult sent = SentInTurn(20, 200ms);
  sent.failures = 1;
  EXPECT_FALSE(HasMissed(objective, FourRows(), sent));
}

TEST(FirstBlockTest, IsFollowedByOthersUntilTheLoadIsWhole) {
  ReplayPlan plan = FourRows();
  plan.min_requests = 59;
  plan.hard_max_time = 4500ms;
  const auto next = NextBlock(plan, Sent(20, 1100ms));
  ASSERT_TRUE(next);
  EXPECT_EQ(next->max_time, 1100ms);
  EXPECT_EQ(next->min_requests, 20u);
  const auto last = NextBlock(plan, Sent(40, 4s));
  ASSERT_TRUE(last) << "less than a second is left, and requests are lacking";
  EXPECT_EQ(last->max_time, 0s);
  EXPECT_EQ(last->min_requests, 19u);
  EXPECT_EQ(last->hard_max_time, 500ms);
  EXPECT_FALSE(NextBlock(plan, Sent(59, 3100ms))) << "it is whole";
  EXPECT_FALSE(NextBlock(plan, Sent(20, 4500ms)));
}

TEST(SendBlocksTest, EndsWhereTheLoadIsWholeIsEnoughOrBringsNothing) {
  ReplayPlan plan = FourRows();
  plan.min_requests = 59;
  plan.hard_max_time = 20s;
  const auto sent_by = [&](std::size_t enough, std::size_t a_block) {
    ReplayResult sent = Sent(20, 1s);
    SendBlocks(
        plan, sent, [&] { return sent.requests.size() >= enough; },
        [&](const ReplayPlan&) {
          sent.requests.resize(sent.requests.size() + a_block);
          sent.ended += 1s;
        });
    return sent.requests.size();
  };
  EXPECT_EQ(sent_by(1000, 20), 80u) << "3.1 s, and 59 requests";
  EXPECT_EQ(sent_by(40, 20), 40u);
  EXPECT_EQ(sent_by(1000, 0), 20u);
}

TEST(FirstBlockTest, OfARateOrOfManyMoreRequestsShowsNothingYet) {
  Objective objective;
  objective.latency_ms = {{"p95", 1}};
  ReplayPlan plan = FourRows();
  plan.max_time = 60s;  // 20 of 30,000 requests
  EXPECT_FALSE(HasMissed(objective, plan, SentInTurn(20, 2ms)));
  plan = FourRows();
  plan.open_loop.emplace();
  EXPECT_FALSE(HasMissed(objective, plan, SentInTurn(20, 200ms)));
}

TEST(RestOfTest, IsNothingOfALoadWhoseTailIsNotInDoubt) {
  const LoadTime load = ProofLoad(At(150), Cores(1.0), 60s);
  EXPECT_FALSE(RestOf(FourRows(), load, Sent(465, 3100ms), std::nullopt));
  EXPECT_FALSE(RestOf(FourRows(), load, Sent(465, 3100ms), Slow(0)));
}

TEST(RestOfTest, GoesOnWhereATailIsInDoubt) {
  const LoadTime load = ProofLoad(At(90), Cores(1.0), 60s);
  EXPECT_FALSE(RestOf(FourRows(), load, Sent(299, 3300ms), Slow(1 / 299.0)));
  for (const int slow : {2, 3, 8}) {
    const auto rest = RestOf(FourRows(), load, Sent(299, 3300ms), Slow(slow / 299.0));
    ASSERT_TRUE(rest) << slow;
    EXPECT_FALSE(rest->max_requests);
    EXPECT_EQ(rest->max_time, 6700ms);
    EXPECT_EQ(rest->order.front(), 3u) << "the rows go on where they ended";
  }
  EXPECT_FALSE(RestOf(FourRows(), load, Sent(299, 3300ms), Slow(10 / 299.0)));
  Tail uncounted = Slow(3 / 150.0);
  uncounted.counted = false;
  EXPECT_FALSE(RestOf(FourRows(), load, Sent(150, 3300ms), uncounted));
}

TEST(RestOfTest, IsNothingOfALoadThatEndedOrOfARate) {
  const LoadTime load = ProofLoad(At(150), Cores(1.0), 60s);
  ReplayResult lost = Sent(300, 3100ms);
  lost.target_lost = true;
  EXPECT_FALSE(RestOf(FourRows(), load, lost, Slow(3 / 300.0)));
  ReplayPlan rate = FourRows();
  rate.open_loop = OpenLoop{20};
  EXPECT_FALSE(RestOf(rate, load, Sent(300, 3100ms), Slow(3 / 300.0)));
  EXPECT_FALSE(RestOf(FourRows(), load, Sent(300, 10s), Slow(3 / 300.0)));
}

}  // namespace
}  // namespace mlprof::server::phases
