#include "server/analysis/proof_count.h"

#include <gtest/gtest.h>

namespace mlprof::server {
namespace {

TEST(ProofCountTest, TakesTheRequestsOfP95AndThirtyPeriods) {
  EXPECT_FALSE(LacksForProof({}, 59, 3.0));
  EXPECT_TRUE(LacksForProof({}, 58, 10));
  EXPECT_TRUE(LacksForProof({}, 1000, 2.9));
}

TEST(ProofCountTest, LeavesAnObjectiveForLatencyToItsOwnCounts) {
  Objective objective;
  objective.latency_ms = {{"p95", 50}};
  EXPECT_FALSE(LacksForProof(objective, 3, 1));
  EXPECT_FALSE(UnprovenTail(objective, 3));
}

TEST(ProofCountTest, SaysThatP99IsUnprovenBelowItsCount) {
  EXPECT_FALSE(UnprovenTail({}, 299));
  const auto unproven = UnprovenTail({}, 200);
  ASSERT_TRUE(unproven);
  EXPECT_EQ(*unproven,
            "p99 is unproven: it takes 299 requests in each container, and 200 were served");
}

}  // namespace
}  // namespace mlprof::server
