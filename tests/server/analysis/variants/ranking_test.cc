#include "server/analysis/variants/ranking.h"

#include <gtest/gtest.h>

#include "server/analysis/variants/cost.h"
#include "tests/server/analysis/variants/made_up_variants.h"

namespace mlprof::server {
namespace {

VariantComparison Compared(const MadeUpComparison& made_up) {
  return CompareVariants(made_up.record, made_up.profiles);
}

TEST(VariantCostTest, IsThatOfCoresAndMemoryByTheirPrices) {
  const Limits replica{Cores(2.0), MiB(512)};
  EXPECT_DOUBLE_EQ(CostPerHour(replica, {0.04, 0.004}), 2 * 0.04 + 0.5 * 0.004);
  EXPECT_DOUBLE_EQ(*CostPerMillion(3.6, 10), 100);  // 36,000 requests an hour
  EXPECT_FALSE(CostPerMillion(3.6, 0));
  EXPECT_FALSE(CostPerMillion(3.6, std::nullopt));
}

TEST(VariantCostTest, WithoutPricesNineGibibytesCostAboutAsMuchAsACore) {
  const double core = CostPerHour({Cores(1.0), Bytes()}, {});
  const double nine_gib = CostPerHour({Cores(), GiB(9)}, {});
  EXPECT_NEAR(nine_gib / core, 1, 0.02);
}

TEST(VariantRankingTest, TheCheapestByRequestsComesFirstAlthoughItsReplicaIsDearer) {
  const auto compared = Compared(MadeUpComparison()
                                     .With(VariantProfile(Cores(1.0), MiB(512), 50, 20))
                                     .With(VariantProfile(Cores(1.5), MiB(512), 20, 50)));
  EXPECT_EQ(compared.results[0].rank, 2);
  EXPECT_EQ(compared.results[1].rank, 1);
  ASSERT_TRUE(compared.choice);
  EXPECT_EQ(compared.choice->variant, "v1");
  EXPECT_NE(compared.choice->because.find("v0, costs"), std::string::npos);
  EXPECT_TRUE(compared.choice->close.empty());
}

TEST(VariantRankingTest, ByReplicaTheCheaperReplicaComesFirst) {
  MadeUpComparison made_up;
  made_up.With(VariantProfile(Cores(1.0), MiB(512), 50, 20))
      .With(VariantProfile(Cores(1.5), MiB(512), 20, 50));
  made_up.record.request.rank_by = RankBy::kReplica;
  EXPECT_EQ(Compared(made_up).choice->variant, "v0");
}

TEST(VariantRankingTest, UnderARateAllServeTheRateThatWasAskedFor) {
  Profile slow = VariantProfile(Cores(1.0), MiB(512), 50, 19.2);
  Profile fast = VariantProfile(Cores(1.5), MiB(512), 20, 20.7);
  slow.request.objective.requests_per_second = fast.request.objective.requests_per_second = 20;
  const auto compared = Compared(MadeUpComparison().With(slow).With(fast));
  EXPECT_EQ(*compared.results[0].figures->requests_per_second, 20);
  EXPECT_EQ(compared.choice->variant, "v0");
}

TEST(VariantRankingTest, PricesDecideBetweenCoresAndMemory) {
  MadeUpComparison made_up;
  made_up.With(VariantProfile(Cores(1.0), GiB(8), 50, 20))
      .With(VariantProfile(Cores(2.0), GiB(1), 50, 20));
  made_up.record.request.prices = {1, 0.01};
  EXPECT_EQ(Compared(made_up).choice->variant, "v0");
  made_up.record.request.prices = {1, 1};
  EXPECT_EQ(Compared(made_up).choice->variant, "v1");
}

TEST(VariantRankingTest, EqualCostsAreRankedByLatency) {
  const auto compared = Compared(MadeUpComparison()
                                     .With(VariantProfile(Cores(1.0), MiB(512), 50, 20))
                                     .With(VariantProfile(Cores(1.0), MiB(512), 49, 20)));
  EXPECT_EQ(compared.choice->variant, "v1");
  EXPECT_EQ(compared.choice->close, std::vector<std::string>{"v0"});
}

TEST(VariantRankingTest, AnAnswerWithoutProofIsRankedBehindAllThatAreProven) {
  const auto compared =
      Compared(MadeUpComparison()
                   .With(VariantProfile(Cores(0.1), MiB(64), 5, 200, /*verified=*/false))
                   .With(VariantProfile(Cores(2.0), GiB(1), 50, 20)));
  EXPECT_EQ(compared.results[0].outcome, VariantOutcome::kUnproven);
  EXPECT_FALSE(compared.results[0].figures->cost_per_million);
  EXPECT_EQ(compared.results[0].rank, 2);
  EXPECT_FALSE(compared.results[0].on_front);
  EXPECT_EQ(compared.choice->variant, "v1");
}

TEST(VariantRankingTest, OnlyWhatNoOtherBeatsInEverythingIsOnTheFront) {
  const auto compared = Compared(MadeUpComparison()
                                     .With(VariantProfile(Cores(1.0), MiB(512), 50, 20))
                                     .With(VariantProfile(Cores(2.0), MiB(512), 20, 50))
                                     .With(VariantProfile(Cores(2.0), MiB(768), 25, 45))
                                     .With(VariantProfile(Cores(3.0), MiB(512), 20, 60)));
  EXPECT_TRUE(compared.results[0].on_front);
  EXPECT_TRUE(compared.results[1].on_front);
  EXPECT_FALSE(compared.results[2].on_front) << "v1 is cheaper, faster and serves more";
  EXPECT_TRUE(compared.results[3].on_front) << "more throughput is worth its price to somebody";
}

TEST(VariantRankingTest, WhatIsRecommendedLiesOnTheFront) {
  for (const RankBy by : {RankBy::kMillionRequests, RankBy::kReplica}) {
    MadeUpComparison made_up;
    for (int i = 0; i < 8; ++i) {
      made_up.With(
          VariantProfile(Cores::FromTenths(5 + i * 7 % 5), MiB(256), 20 + i * 5 % 7, 30 + i % 4));
    }
    made_up.record.request.rank_by = by;
    const auto compared = Compared(made_up);
    for (const VariantResult& result : compared.results) {
      EXPECT_TRUE(result.rank != 1 || result.on_front) << result.variant.name;
    }
  }
}

TEST(VariantRankingTest, AVariantThatFailedSaysWhyWhileTheOthersAreRanked) {
  Profile failed = EndedVariant(ProfileState::kFailed);
  failed.error = ProfileError{"ModelCrashed", "the model ended while it started", {}, ""};
  const auto compared =
      Compared(MadeUpComparison().With(failed).With(VariantProfile(Cores(1.0), MiB(512), 50, 20)));
  EXPECT_EQ(compared.state, ComparisonState::kSucceeded);
  EXPECT_EQ(compared.results[0].outcome, VariantOutcome::kFailed);
  EXPECT_EQ(compared.results[0].why, "ModelCrashed: the model ended while it started");
  EXPECT_FALSE(compared.results[0].rank);
  EXPECT_NE(compared.choice->because.find("no other is proven"), std::string::npos);
}

TEST(VariantRankingTest, WhereAllFailTheComparisonHas) {
  Profile timed_out = EndedVariant(ProfileState::kTimedOut);
  timed_out.error = ProfileError{"BudgetUsedUp", "no time was left", {}, ""};
  const auto compared =
      Compared(MadeUpComparison().With(EndedVariant(ProfileState::kFailed)).With(timed_out));
  EXPECT_EQ(compared.state, ComparisonState::kFailed);
  EXPECT_FALSE(compared.choice);
}

TEST(VariantRankingTest, AVariantThatCannotHoldTheObjectiveIsNoFailure) {
  Profile none = EndedVariant(ProfileState::kSucceeded);
  none.no_answer = NoAnswer{kObjectiveNotHeld, "p95 was 21 ms, 10 ms are allowed", {}};
  const auto compared =
      Compared(MadeUpComparison().With(none).With(EndedVariant(ProfileState::kFailed)));
  EXPECT_EQ(compared.state, ComparisonState::kSucceeded);
  EXPECT_EQ(compared.results[0].outcome, VariantOutcome::kNoAnswer);
  EXPECT_FALSE(compared.choice);
}

TEST(VariantRankingTest, OneThatWasEndedEarlyTellsWhyAndWhatWasKnown) {
  Profile ended = VariantProfile(Cores(2.0), GiB(1), 60, 15, /*verified=*/false);
  ended.state = ProfileState::kCanceled;
  ended.warnings.push_back({kEndedEarlyWarning, "v1 is cheaper and faster", ""});
  const auto compared =
      Compared(MadeUpComparison().With(ended).With(VariantProfile(Cores(1.0), MiB(512), 50, 20)));
  EXPECT_EQ(compared.state, ComparisonState::kSucceeded);
  EXPECT_EQ(compared.results[0].outcome, VariantOutcome::kEndedEarly);
  EXPECT_EQ(compared.results[0].why, "v1 is cheaper and faster");
  EXPECT_EQ(compared.results[0].figures->requested, (Limits{Cores(2.0), GiB(1)}));
  EXPECT_FALSE(compared.results[0].rank);
}

TEST(VariantRankingTest, AProofThatACancelCameAfterIsOne) {
  Profile proven = VariantProfile(Cores(1.0), MiB(512), 50, 20);
  proven.state = ProfileState::kCanceled;
  const auto compared =
      Compared(MadeUpComparison().With(proven).With(EndedVariant(ProfileState::kCanceled)));
  EXPECT_EQ(compared.state, ComparisonState::kCanceled);
  EXPECT_EQ(compared.choice->variant, "v0");
}

TEST(VariantRankingTest, ItsStateFollowsThoseOfItsProfiles) {
  const auto state_of = [](ProfileState first, ProfileState second) {
    return Compared(MadeUpComparison().With(EndedVariant(first)).With(EndedVariant(second))).state;
  };
  using enum ProfileState;
  EXPECT_EQ(state_of(kQueued, kQueued), ComparisonState::kQueued);
  EXPECT_EQ(state_of(kPreparing, kQueued), ComparisonState::kRunning);
  EXPECT_EQ(state_of(kFailed, kQueued), ComparisonState::kRunning);
  EXPECT_EQ(state_of(kFailed, kCanceled), ComparisonState::kCanceled);
}

TEST(VariantRankingTest, ItsTimesAreThoseOfTheFirstAndTheLastProfile) {
  Profile first = VariantProfile(Cores(1.0), MiB(512), 50, 20);
  Profile second = first;
  first.started = Timestamp(std::chrono::milliseconds(1000));
  first.finished = Timestamp(std::chrono::milliseconds(2000));
  second.started = first.finished;
  second.finished = Timestamp(std::chrono::milliseconds(3000));
  const auto compared = Compared(MadeUpComparison().With(first).With(second));
  EXPECT_EQ(compared.started, first.started);
  EXPECT_EQ(compared.finished, second.finished);
  second.state = ProfileState::kVerifying;
  EXPECT_FALSE(Compared(MadeUpComparison().With(first).With(second)).finished);
}

TEST(VariantRankingTest, ADeletedProfileLeavesItsPlaceEmpty) {
  const auto compared = Compared(
      MadeUpComparison().With(std::nullopt).With(VariantProfile(Cores(1.0), MiB(512), 50, 20)));
  EXPECT_EQ(compared.results[0].outcome, VariantOutcome::kDeleted);
  EXPECT_EQ(compared.results[0].profile, "made-up.v0");
  EXPECT_EQ(compared.choice->variant, "v1");
}

TEST(VariantRankingTest, ACostWithinWhatTheAnswersRangeAllowsIsNotTold) {
  Profile best = VariantProfile(Cores(1.0), MiB(512), 50, 20);
  Profile other = VariantProfile(Cores(1.2), MiB(512), 50, 20);
  Bound range{Cores(0.9), Cores(1.3), "", Confidence::kLow};
  other.recommendation->Set(range);
  EXPECT_EQ(Compared(MadeUpComparison().With(best).With(other)).choice->close,
            std::vector<std::string>{"v1"});
  // 1.1 cores were seen to fall short: it needs more than the best.
  range.low = Cores(1.1);
  range.low_failed = true;
  other.recommendation->Set(range);
  EXPECT_TRUE(Compared(MadeUpComparison().With(best).With(other)).choice->close.empty());
}

TEST(VariantRankingTest, ANoisyHostIsSaidAndTellsSmallDifferencesNotApart) {
  const Profile best = VariantProfile(Cores(1.0), MiB(512), 50, 20);
  Profile other = VariantProfile(Cores(1.1), MiB(512), 50, 20);
  Profile dear = VariantProfile(Cores(1.4), MiB(512), 50, 20);
  const auto quiet = Compared(MadeUpComparison().With(best).With(other).With(dear));
  EXPECT_TRUE(quiet.choice->close.empty());
  EXPECT_EQ(quiet.choice->because.find("quiet"), std::string::npos);
  other.warnings.push_back({kNoisyHostWarning, "", ""});
  dear.warnings.push_back({kNoisyHostWarning, "", ""});
  dear.recommendation->verified = false;
  const auto noisy = Compared(MadeUpComparison().With(best).With(other).With(dear));
  EXPECT_EQ(noisy.choice->close, std::vector<std::string>{"v1"});
  EXPECT_NE(noisy.choice->because.find("the host was not quiet while it measured v1, v2"),
            std::string::npos);
}

}  // namespace
}  // namespace mlprof::server
