#include "server/profiling/budget/budget.h"

#include <gtest/gtest.h>

#include "tests/fakes/fake_runtime.h"

namespace mlprof::server {
namespace {

using std::chrono::seconds;

constexpr seconds kTotal{100};

class BudgetTest : public ::testing::Test {
 protected:
  void Take(std::chrono::nanoseconds time) { clock_.Pass(time); }

  FakeClock clock_;
  Budget budget_{clock_, kTotal};
};

TEST_F(BudgetTest, BeginsWithTheFirstStartOfTheModel) {
  Take(seconds(500));
  EXPECT_EQ(budget_.Left(), kTotal);
  EXPECT_FALSE(budget_.Passed());
  budget_.Begin();
  Take(seconds(40));
  budget_.Begin();
  EXPECT_EQ(budget_.Left(), seconds(60));
  Take(seconds(60));
  EXPECT_TRUE(budget_.Passed());
  EXPECT_TRUE(budget_.end().Passed());
}

TEST_F(BudgetTest, GivesAPhaseItsShareWhereMoreIsLeft) {
  budget_.Begin();
  for (const Share& share : kShares) {
    EXPECT_EQ(budget_.For(share.spend),
              std::chrono::nanoseconds(static_cast<std::int64_t>(
                  share.of_budget * std::chrono::nanoseconds(kTotal).count())));
  }
}

TEST_F(BudgetTest, KeepsNothingForTheProofOnceThatIsThrough) {
  budget_.Begin();
  Take(seconds(80));
  EXPECT_EQ(budget_.For(Spend::kLoadCurve), seconds(0));
  budget_.ProofIsThrough();
  EXPECT_EQ(budget_.For(Spend::kLoadCurve), seconds(6));
}

TEST_F(BudgetTest, EveryShareFitsBesideTheProofsReserve) {
  for (const Share& share : kShares) EXPECT_LE(share.of_budget + kProofReserve, 1);
}

// Shares are limits, and more in all than there is: however long each phase takes of what it may,
// the reserve is there when the proof begins.
TEST_F(BudgetTest, LeavesTheProofItsReserveWhateverThePhasesBeforeItTake) {
  budget_.Begin();
  double shares = 0;
  for (const Share& share : kShares) {
    // A sample takes the place of the rows, a probe is part of its search.
    const bool is_part = share.spend == Spend::kRowSample || share.spend == Spend::kCpuProbe;
    if (is_part || share.spend == Spend::kSustained) continue;
    shares += share.of_budget;
    Take(budget_.For(share.spend));
  }
  EXPECT_GT(shares, 1);
  EXPECT_EQ(budget_.Left(), seconds(25));
}

TEST_F(BudgetTest, AModelThatTookMostOfItToStartIsStillMeasured) {
  budget_.Begin();
  Take(seconds(80));
  for (const Spend spend : {Spend::kWarmUp, Spend::kRows, Spend::kLoad}) {
    EXPECT_EQ(budget_.For(spend), seconds(5));
    Take(budget_.For(spend));
  }
  EXPECT_EQ(budget_.For(Spend::kPlateau), seconds(0));
  EXPECT_EQ(budget_.For(Spend::kCpuProbe), seconds(5));
}

TEST_F(BudgetTest, AddsWhatTheModelTakesToStart) {
  budget_.Begin();
  Take(seconds(60));
  budget_.Started(seconds(60));
  EXPECT_EQ(budget_.Left(), kTotal);
  Take(seconds(99));
  EXPECT_FALSE(budget_.Passed());
  EXPECT_FALSE(budget_.end().Passed());
  Take(seconds(1));
  EXPECT_TRUE(budget_.Passed());
}

TEST_F(BudgetTest, AddsNoMoreThanEightStarts) {
  budget_.Begin();
  for (int start = 0; start < 10; ++start) {
    Take(seconds(30));
    budget_.Started(seconds(30));
  }
  EXPECT_EQ(budget_.starts_left(), 0);
  EXPECT_EQ(budget_.Left(), seconds(40));
}

TEST_F(BudgetTest, ShowsTheStartsThatMayStillBeAddedAsTimeLeft) {
  budget_.Begin();
  EXPECT_EQ(budget_.MostLeft(), kTotal);
  Take(seconds(60));
  budget_.Started(seconds(60));
  EXPECT_EQ(budget_.MostLeft(), kTotal + 7 * seconds(60));
  Take(seconds(10));
  for (int start = 1; start < 8; ++start) budget_.Started(seconds(0));
  EXPECT_EQ(budget_.MostLeft(), seconds(90));
}

TEST_F(BudgetTest, BoundsAnAddedStartByItsOwnTimeoutAlone) {
  budget_.Begin();
  EXPECT_EQ(budget_.EndOfStart(seconds(300)).Left(), seconds(300));
  for (int start = 0; start < 8; ++start) budget_.Started(seconds(0));
  EXPECT_EQ(budget_.EndOfStart(seconds(300)).Left(), kTotal);
  EXPECT_EQ(budget_.EndOfStart(seconds(5)).Left(), seconds(5));
}

TEST_F(BudgetTest, ChargesTheStartsThatAreNotAdded) {
  budget_.Begin();
  EXPECT_EQ(budget_.ChargeOf(seconds(60), 8), seconds(0));
  EXPECT_EQ(budget_.ChargeOf(seconds(60), 10), seconds(120));
  for (int start = 0; start < 6; ++start) budget_.Started(seconds(0));
  EXPECT_EQ(budget_.ChargeOf(seconds(60), 3), seconds(60));
}

TEST_F(BudgetTest, ThatSomebodyNamedIsAHardEnd) {
  Budget named(clock_, kTotal, BudgetEnd::kHard);
  named.Begin();
  Take(seconds(60));
  named.Started(seconds(60));
  EXPECT_EQ(named.Left(), seconds(40));
  EXPECT_EQ(named.MostLeft(), seconds(40));
  EXPECT_EQ(named.ChargeOf(seconds(60)), seconds(60));
  EXPECT_EQ(named.EndOfStart(seconds(300)).Left(), seconds(40));
}

TEST_F(BudgetTest, TakesNoStartBeforeTheModelsFirst) {
  Take(seconds(10));
  budget_.Started(seconds(10));
  EXPECT_EQ(budget_.starts_left(), kStartsAdded);
  EXPECT_EQ(budget_.Left(), kTotal);
}

TEST_F(BudgetTest, GivesNoMoreThanIsLeft) {
  budget_.Begin();
  Take(seconds(98));
  for (const Share& share : kShares) EXPECT_LE(budget_.For(share.spend), seconds(2));
}

TEST_F(BudgetTest, EndsWhatIsAskedOfItWithItself) {
  budget_.Begin();
  Take(seconds(90));
  const Deadline deadline = budget_.AtMost(seconds(30));
  EXPECT_EQ(deadline.Left(), seconds(10));
  Take(seconds(10));
  EXPECT_TRUE(deadline.Passed());
}

}  // namespace
}  // namespace mlprof::server
