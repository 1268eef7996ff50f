#include <gtest/gtest.h>

#include <algorithm>

#include "server/analysis/limit_search.h"

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

TEST(GridSearchTest, CutShortIsAnsweredByWhatItWouldTryNextWhileNothingPassed) {
  GridSearch search(Cores(0.1), Cores(0.1), Cores(16.0));
  for (const double failed : {0.1, 0.2, 0.4}) search.Tell(Cores(failed), false);
  EXPECT_EQ(search.Best(), Cores(16.0));
  EXPECT_EQ(search.Likeliest(), Cores(0.8));
  search.Tell(Cores(0.8), true);
  EXPECT_EQ(search.Likeliest(), Cores(0.8));
}

TEST(GridSearchTest, TakesTheCeilingWhereNothingBelowPasses) {
  EXPECT_EQ(Search(Cores(0.1), Cores(1.0), Cores(2.0), Cores(9.0)).best, Cores(2.0));
}

TEST(GridSearchTest, TriesNothingWhereTheGuessIsTheCeiling) {
  const Outcome outcome = Search(Cores(2.0), Cores(2.5), Cores(2.0), Cores(1.0));
  EXPECT_EQ(outcome.best, Cores(2.0));
  EXPECT_EQ(outcome.probes, 0);
}

TEST(MemoryBisectionTest, FindsEveryNeedToTheGrid) {
  for (std::int64_t need = 48; need <= 1024; need += 16) {
    MemoryBisection bisection(MiB(32), MiB(1024), 0);
    int runs = 0;
    while (const auto limit = bisection.Next()) {
      ASSERT_EQ(limit->count() % kMemoryQuantum.count(), 0);
      bisection.Tell(*limit, *limit >= MiB(need));
      ASSERT_LE(++runs, 7);
    }
    EXPECT_EQ(bisection.passing(), MiB(need));
    EXPECT_EQ(bisection.failing(), MiB(need - 16));
  }
}

TEST(MemoryBisectionTest, StopsWithinItsTolerance) {
  MemoryBisection bisection(MiB(0), MiB(4096));
  while (const auto limit = bisection.Next()) bisection.Tell(*limit, *limit >= MiB(1000));
  EXPECT_GE(bisection.passing(), MiB(1000));
  EXPECT_LE(bisection.passing() - bisection.failing(), Scale(bisection.passing(), 0.1));
}

TEST(MemoryBisectionTest, EndsFromLimitsOffTheGrid) {
  MemoryBisection bisection(MiB(100), MiB(117), 0);
  int runs = 0;
  while (const auto limit = bisection.Next()) {
    bisection.Tell(*limit, false);
    ASSERT_LE(++runs, 3);
  }
  EXPECT_EQ(bisection.passing(), MiB(117));
}

TEST(MemoryBisectionTest, TriesNothingBelowTheSmallestLimit) {
  EXPECT_EQ(MemoryBisection(MiB(0), MiB(32), 0).Next(), std::nullopt);
  EXPECT_EQ(MemoryBisection(MiB(0), MiB(48), 0).Next(), MiB(32));
}

struct MemoryOutcome {
  std::optional<Bytes> found;
  Bytes largest_tried;
  int runs = 0;
};

MemoryOutcome Search(StartSearch search, Bytes need) {
  MemoryOutcome outcome;
  while (const auto limit = search.Next()) {
    outcome.largest_tried = std::max(outcome.largest_tried, *limit);
    search.Tell(*limit >= need);
    if (++outcome.runs > 20) break;
  }
  outcome.found = search.found();
  return outcome;
}

TEST(StartSearchTest, DoublesUntilOnePassesThenClosesIn) {
  const MemoryOutcome outcome = Search({MiB(0), GiB(1), GiB(64)}, MiB(5000));
  ASSERT_TRUE(outcome.found);
  EXPECT_GE(*outcome.found, MiB(5000));
  EXPECT_LE(*outcome.found, MiB(5600));
  EXPECT_LE(outcome.runs, 4 + 6);
  EXPECT_EQ(outcome.largest_tried, GiB(8));
}

TEST(StartSearchTest, NeverTriesMoreThanTheMaximum) {
  const MemoryOutcome outcome = Search({MiB(0), GiB(1), GiB(6)}, MiB(5000));
  EXPECT_EQ(outcome.largest_tried, GiB(6));
  ASSERT_TRUE(outcome.found);
  EXPECT_LE(*outcome.found, MiB(5600));
}

TEST(StartSearchTest, FindsNothingWhereTheMaximumFails) {
  const MemoryOutcome outcome = Search({MiB(0), GiB(1), GiB(3)}, GiB(4));
  EXPECT_FALSE(outcome.found);
  EXPECT_EQ(outcome.runs, 3);
  EXPECT_EQ(Search({GiB(3), GiB(1), GiB(3)}, GiB(4)).runs, 0);
}

TEST(StartSearchTest, TriesNothingKnownToFail) {
  const MemoryOutcome outcome = Search({GiB(2), GiB(1), GiB(8)}, MiB(2100));
  ASSERT_TRUE(outcome.found);
  EXPECT_GE(*outcome.found, MiB(2100));
  EXPECT_LE(*outcome.found, MiB(2310));
}

TEST(HalfwayTest, LiesOnTheGridBetweenWhatFailedAndWhatHeld) {
  EXPECT_EQ(Halfway(MiB(160), MiB(272)), Amount(MiB(224)));
  EXPECT_EQ(Halfway(MiB(192), MiB(240)), Amount(MiB(208)));
  EXPECT_EQ(Halfway(Cores(0.4), Cores(0.7)), Amount(Cores(0.6)));
}

TEST(HalfwayTest, LiesWithinAStepThatTheGridMakesLargerThanATenth) {
  EXPECT_EQ(Halfway(MiB(144), MiB(176)), Amount(MiB(160)));
  EXPECT_EQ(Halfway(MiB(160), MiB(192)), Amount(MiB(176)));
}

TEST(HalfwayTest, IsNothingWhereOneStepLowerHasFailed) {
  EXPECT_EQ(Halfway(MiB(160), MiB(176)), std::nullopt);
  EXPECT_EQ(Halfway(MiB(1440), MiB(1600)), std::nullopt);
  EXPECT_EQ(Halfway(MiB(192), MiB(176)), std::nullopt);
  EXPECT_EQ(Halfway(MiB(160), MiB(180)), std::nullopt) << "a ceiling need not lie on the grid";
  EXPECT_EQ(Halfway(MiB(16), MiB(32)), std::nullopt);
}

}  // namespace
}  // namespace mlprof::server
