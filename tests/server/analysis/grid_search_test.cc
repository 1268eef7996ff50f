#include "server/analysis/grid_search.h"

#include <gtest/gtest.h>

namespace mlprof::server {
namespace {

struct Outcome {
  Cores best;
  int probes = 0;
};

Outcome Search(Cores floor, Cores guess, Cores ceiling, Cores need) {
  GridSearch search(floor, guess, ceiling);
  Outcome outcome;
  while (const auto next = search.Next()) {
    EXPECT_TRUE(next->OnGrid());
    EXPECT_GE(*next, floor);
    EXPECT_LT(*next, ceiling);
    search.Tell(*next, *next >= need);
    if (++outcome.probes > 50) break;
  }
  outcome.best = search.Best();
  return outcome;
}

TEST(GridSearchTest, FindsEveryNeedFromEveryGuess) {
  const Cores ceiling(4.0);
  for (int need = 1; need <= 40; ++need) {
    for (int guess = 1; guess <= 40; ++guess) {
      const Outcome outcome =
          Search(kCpuQuantum, Cores::FromTenths(guess), ceiling, Cores::FromTenths(need));
      EXPECT_EQ(outcome.best, Cores::FromTenths(need)) << need << " from " << guess;
      EXPECT_LE(outcome.probes, 12) << need << " from " << guess;
    }
  }
}

TEST(GridSearchTest, NeedsOneProbeWhereTheGuessIsTheFloorAndPasses) {
  const Outcome outcome = Search(Cores(0.9), Cores(0.9), Cores(2.0), Cores(0.5));
  EXPECT_EQ(outcome.best, Cores(0.9));
  EXPECT_EQ(outcome.probes, 1);
}

TEST(GridSearchTest, NeedsTwoProbesWhereTheGuessIsTheAnswer) {
  const Outcome outcome = Search(Cores(0.1), Cores(1.0), Cores(8.0), Cores(1.0));
  EXPECT_EQ(outcome.best, Cores(1.0));
  EXPECT_EQ(outcome.probes, 2);
}

TEST(GridSearchTest, TakesTheCeilingWhereNothingBelowPasses) {
  EXPECT_EQ(Search(Cores(0.1), Cores(1.0), Cores(2.0), Cores(9.0)).best, Cores(2.0));
}

TEST(GridSearchTest, TriesNothingWhereTheGuessIsTheCeiling) {
  const Outcome outcome = Search(Cores(2.0), Cores(2.5), Cores(2.0), Cores(1.0));
  EXPECT_EQ(outcome.best, Cores(2.0));
  EXPECT_EQ(outcome.probes, 0);
}

}  // namespace
}  // namespace mlprof::server
