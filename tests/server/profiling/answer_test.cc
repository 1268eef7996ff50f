// What an answer says of itself, by what the run has found out.
#include "server/profiling/run/answer.h"

#include <gtest/gtest.h>

namespace mlprof::server {
namespace {

RunFacts Unproven() {
  RunFacts facts;
  facts.host.ceiling = {Cores(2.0), GiB(4)};
  facts.warm_up.emplace().need = {};
  return facts;
}

RunFacts Proven() {
  RunFacts facts = Unproven();
  phases::Proof proof;
  proof.limits = {Cores(1.0), MiB(128)};
  proof.passes.resize(3);
  for (phases::LimitedRun& run : proof.passes) {
    run.latencies.assign(300, 2000);
    run.trial.measurements.total_queries = 1000;
  }
  facts.verification.emplace().limits = proof.limits;
  facts.verification->proof = proof;
  facts.plateau.emplace().trend = MemoryTrend::kFlat;
  return facts;
}

const Bound& MemoryOf(const Recommendation& answer) {
  return *answer.bounds.Find(ResourceKind::kMemory);
}

TEST(AnswerTest, SaysThatNoContainersHaveHeldItUntilTheyHave) {
  const auto unproven = AnswerOf(Unproven());
  ASSERT_TRUE(unproven);
  EXPECT_EQ(unproven->confidence, Confidence::kLow);
  EXPECT_EQ(MemoryOf(*unproven).because, "no fresh containers have held it");
  const auto proven = AnswerOf(Proven());
  ASSERT_TRUE(proven);
  EXPECT_TRUE(proven->verified);
  EXPECT_EQ(MemoryOf(*proven).confidence, Confidence::kHigh);
  EXPECT_EQ(MemoryOf(*proven).because,
            "3 fresh containers held it, 3000 requests met no kill, and memory stays flat");
}

TEST(AnswerTest, IsNotVerifiedWhereOneMoreContainerAtItDidNotHold) {
  RunFacts facts = Proven();
  facts.sustained.emplace().unsteady = true;
  const auto answer = AnswerOf(facts);
  ASSERT_TRUE(answer);
  EXPECT_FALSE(answer->verified);
  EXPECT_EQ(answer->rare_events, std::nullopt);
  EXPECT_EQ(answer->max_concurrency, std::nullopt);
  EXPECT_EQ(MemoryOf(*answer).because, "one more container at these limits did not hold the load");
}

TEST(AnswerTest, StaysVerifiedOfAModelThatIsKnownToGrow) {
  RunFacts facts = Proven();
  facts.plateau->trend = MemoryTrend::kGrowing;
  EXPECT_EQ(AnswerOf(facts)->rare_events, std::nullopt) << "it will be killed";
  facts.sustained.emplace().unsteady = true;
  const auto answer = AnswerOf(facts);
  EXPECT_TRUE(answer->verified);
  EXPECT_EQ(answer->confidence, Confidence::kLow);
}

}  // namespace
}  // namespace mlprof::server
