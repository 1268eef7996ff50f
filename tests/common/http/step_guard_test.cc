#include "common/http/step_guard.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace mlprof {
namespace {

class Guarded : public InSteps {
 public:
  void BreakOff() noexcept override { ++broken_off; }
  int broken_off = 0;
};

TEST(StepGuard, RunsNoStepOfWhatHasGone) {
  auto guarded = std::make_shared<Guarded>();
  const StepGuard guard(guarded);
  int steps = 0;
  guard.Run([&] { ++steps; });
  guarded.reset();
  guard.Run([&] { ++steps; });
  EXPECT_EQ(steps, 1);
}

TEST(StepGuard, KeepsWhatIsGuardedUntilItsStepIsOver) {
  auto guarded = std::make_shared<Guarded>();
  const std::weak_ptr<Guarded> seen = guarded;
  const StepGuard guard(guarded);
  guard.Run([&] {
    guarded.reset();
    EXPECT_FALSE(seen.expired());
  });
  EXPECT_TRUE(seen.expired());
}

TEST(StepGuard, BreaksOffWhatThrows) {
  const auto guarded = std::make_shared<Guarded>();
  StepGuard(guarded).Run([] { throw std::runtime_error("a mistake"); });
  EXPECT_EQ(guarded->broken_off, 1);
}

}  // namespace
}  // namespace mlprof
