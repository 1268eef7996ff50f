#include "server/analysis/cpu_doubt.h"

#include <gtest/gtest.h>

#include <cmath>

namespace mlprof::server {
namespace {

constexpr Cores kAnswer = Cores::FromTenths(17);

// That the quota stopped so many of so many requests for too long.
Tail Stopped(double requests, std::size_t of) {
  Tail tail;
  tail.stopped_share = requests / static_cast<double>(of);
  tail.counted = true;
  tail.requests = of;
  return tail;
}

FailedTry RefusedAt(double cores, std::optional<Tail> tail = {}) {
  FailedTry failed{{Cores(cores), MiB(448)}, ResourceKind::kCpu};
  failed.tail = tail;
  return failed;
}

TEST(CpuDoubtTest, ReachesDownToTheLeastThatAFewRequestsRefused) {
  const std::vector<FailedTry> failed = {
      RefusedAt(1.3, Stopped(10, 460)), RefusedAt(1.4, Stopped(5, 465)),
      RefusedAt(1.5, Stopped(5, 465)), RefusedAt(1.6, Stopped(6, 299))};
  EXPECT_EQ(LeastInDoubt(kAnswer, failed, false), Cores(1.4)) << "10 of 460 are too many";
}

TEST(CpuDoubtTest, EndsAtWhatIsTooSlowForMoreThanItsSlowestRequests) {
  const std::vector<FailedTry> failed = {RefusedAt(1.4, Stopped(5, 465)),
                                         RefusedAt(1.5, Stopped(5, 465)), RefusedAt(1.6)};
  EXPECT_FALSE(LeastInDoubt(kAnswer, failed, false));
  EXPECT_EQ(LeastInDoubt(kAnswer, failed, true), Cores(1.4))
      << "which held where it was tried again";
}

TEST(CpuDoubtTest, IsOfWhatFailedBesideARunThatHeld) {
  FailedTry by_chance = RefusedAt(1.5);
  EXPECT_FALSE(LeastInDoubt(kAnswer, {{by_chance}}, false));
  by_chance.passes = 1;
  EXPECT_EQ(LeastInDoubt(kAnswer, {{by_chance}}, false), Cores(1.5));
}

TEST(CpuDoubtTest, LeavesOutTheStepThatEveryAnswerMayBeOffBy) {
  EXPECT_FALSE(LeastInDoubt(kAnswer, {{RefusedAt(1.6, Stopped(5, 465))}}, false));
  EXPECT_FALSE(LeastInDoubt(kAnswer, {}, false));
}

TEST(CpuDoubtTest, IsOfCpuAloneAndOfNothingThatOtherWorkDisturbed) {
  FailedTry of_memory = RefusedAt(1.4, Stopped(5, 465));
  of_memory.shortage = ResourceKind::kMemory;
  FailedTry disturbed = RefusedAt(1.4, Stopped(5, 465));
  disturbed.disturbed = true;
  EXPECT_FALSE(LeastInDoubt(kAnswer, {{of_memory, disturbed}}, false));
}

TEST(CpuDoubtTest, CountsTheSlowestRequestsOfAllContainersTogether) {
  const std::vector<std::optional<Tail>> few = {Stopped(1, 299), Stopped(1, 299), Stopped(1, 299)};
  EXPECT_FALSE(TailsInDoubt(few)) << "at most 1% with 3 of 897, at 95% confidence";
  const std::vector<std::optional<Tail>> many = {Stopped(2, 299), Stopped(1, 299), Stopped(2, 299)};
  const auto doubt = TailsInDoubt(many);
  ASSERT_TRUE(doubt);
  EXPECT_EQ(doubt->requests, 897U);
  EXPECT_EQ(std::lround(doubt->stopped), 5);
}

TEST(CpuDoubtTest, SaysNothingOfAP99ThatWasNotCounted) {
  Tail short_run = Stopped(2, 120);
  short_run.counted = false;
  EXPECT_FALSE(TailsInDoubt(std::vector<std::optional<Tail>>{Stopped(3, 299), short_run}));
  EXPECT_FALSE(TailsInDoubt(std::vector<std::optional<Tail>>{std::nullopt}));
  EXPECT_FALSE(TailsInDoubt({}));
}

}  // namespace
}  // namespace mlprof::server
