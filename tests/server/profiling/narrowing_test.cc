#include "server/profiling/phases/narrowing.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "server/profiling/phases/tightness.h"
#include "tests/server/profiling/lab_bench.h"

namespace mlprof::server::phases {
namespace {

constexpr double kRowMs = 2;  // of the imitated model, at full speed, which uses 200 MiB

Verification Verified(LabBench& bench, Bytes memory) {
  return Verify(bench.lab, bench.MeasuredAt(kRowMs), {Cores(1.0), memory},
                [](const Verification&) {});
}

TEST(NarrowingTest, ProvesTheStepThatWhatTheFirstContainerUsedFitsInto) {
  LabBench bench;
  const Verification verified = Verified(bench, MiB(256));
  ASSERT_TRUE(verified.proof) << verified.why_not;
  EXPECT_EQ(verified.proof->limits.memory(), MiB(224));
  EXPECT_EQ(verified.proof->passes.size(), 3U);
  EXPECT_EQ(bench.runtime.launches().size(), 4U);
  EXPECT_TRUE(verified.failed.empty());
}

TEST(NarrowingTest, TriesNoStepThatWhatTheFirstContainerUsedWouldFill) {
  LabBench bench;
  const Verification verified = Verified(bench, MiB(224));
  ASSERT_TRUE(verified.proof) << verified.why_not;
  EXPECT_EQ(verified.proof->limits.memory(), MiB(224));
  EXPECT_EQ(bench.runtime.launches().size(), 3U);
}

// Of a model whose container number `filled`, and no other, fills 218 of 224 MiB and holds by luck,
// with an answer of 256 MiB: how often less is launched before the proof, and by the end of all.
struct LaunchesBelow {
  std::ptrdiff_t before = 0;
  std::ptrdiff_t in_all = 0;
};

LaunchesBelow WhereTheStepIsFilledIn(std::size_t filled) {
  FakeModel model;
  const FakeRuntime* runtime = nullptr;
  model.rise = [&](const std::string&) {
    return runtime->launches().size() == filled ? MiB(18) : Bytes();
  };
  LabBench bench(model);
  runtime = &bench.runtime;
  const auto below = [&] {
    const auto& launches = bench.runtime.launches();
    return std::count_if(launches.begin(), launches.end(), [](const LaunchRequest& launch) {
      return launch.limits.memory() < MiB(256);
    });
  };
  LaunchesBelow counted;
  const Verification verified = Verified(bench, MiB(256));
  EXPECT_TRUE(verified.proof) << verified.why_not;
  if (!verified.proof) return counted;
  EXPECT_EQ(verified.proof->limits.memory(), MiB(256));
  EXPECT_TRUE(verified.failed.empty());
  counted.before = below();
  const Tightness lowered =
      TestTightness(bench.lab, bench.MeasuredAt(kRowMs), verified, [](const Tightness&) {});
  EXPECT_EQ(lowered.tight(), false);
  counted.in_all = below();
  return counted;
}

TEST(NarrowingTest, AsksEachContainerOfTheStepWhetherItWasFilledAndNoneBehindThat) {
  for (const std::size_t filled : {2, 3}) {
    const LaunchesBelow launches = WhereTheStepIsFilledIn(filled);
    EXPECT_EQ(launches.before, static_cast<std::ptrdiff_t>(filled) - 1);
    EXPECT_EQ(launches.in_all, launches.before);
  }
}

TEST(NarrowingTest, TriesNoStepWhereTheBudgetHoldsNoProofBesideIt) {
  LabBench bench;
  // For the two containers that are missing then, and not for three more below them.
  bench.runtime.PassTime(std::chrono::seconds(300 - 30));
  const Verification verified = Verified(bench, MiB(256));
  ASSERT_TRUE(verified.proof) << verified.why_not;
  EXPECT_EQ(verified.proof->limits.memory(), MiB(256));
}

TEST(NarrowingTest, TriesNoStepWhereFilesAreReadBackAsItIs) {
  FakeModel model;
  model.pages_read_back = 5;
  LabBench bench(model);
  const Verification verified = Verified(bench, MiB(256));
  ASSERT_TRUE(verified.proof) << verified.why_not;
  EXPECT_EQ(verified.proof->limits.memory(), MiB(256));
  EXPECT_EQ(bench.runtime.launches().size(), 3U);
}

// 224 MiB held and were filled; what holds above them is not tried there once more.
TEST(NarrowingTest, TriesNoStepThatHeldBarely) {
  FakeModel model;
  model.serving_peak = MiB(215);
  LabBench bench(model);
  const Verification verified = Verified(bench, MiB(160));
  ASSERT_TRUE(verified.proof) << verified.why_not;
  ASSERT_EQ(verified.held_barely.size(), 1U);
  EXPECT_EQ(verified.held_barely.front().bytes(), MiB(224));
  EXPECT_FALSE(verified.step_tried);
}

TEST(NarrowingTest, ProvesWhatHeldWhereTheStepThatFittedFailsLater) {
  FakeModel model;
  const FakeRuntime* runtime = nullptr;
  model.rise = [&](const std::string&) {
    return runtime->launches().size() >= 3 ? MiB(40) : Bytes();
  };
  LabBench bench(model);
  runtime = &bench.runtime;
  const Verification verified = Verified(bench, MiB(256));
  ASSERT_TRUE(verified.proof) << verified.why_not;
  EXPECT_EQ(verified.proof->limits.memory(), MiB(256));
  EXPECT_EQ(verified.proof->passes.size(), 3U);
  ASSERT_EQ(verified.failed.size(), 1U);
  EXPECT_EQ(verified.failed.front().limits.memory(), MiB(224));
  EXPECT_EQ(bench.runtime.launches().size(), 5U);
}

TEST(NarrowingTest, MemoryIsNotRaisedWhereAFewPagesAndASlowMinuteMeetOnce) {
  FakeModel model;
  model.pages_read_back = 5;
  FakeRuntime* runtime = nullptr;
  model.status = [&](const std::string&) {
    if (runtime->launches().size() == 1) runtime->PassTime(std::chrono::milliseconds(1));
    return 200;
  };
  LabBench bench(model);
  runtime = &bench.runtime;
  const Verification verified = Verified(bench, MiB(224));
  ASSERT_TRUE(verified.proof) << verified.why_not;
  EXPECT_EQ(verified.proof->limits.memory(), MiB(224));
  EXPECT_TRUE(verified.failed.empty());
  EXPECT_EQ(bench.runtime.launches().size(), 4U);
}

TEST(NarrowingTest, MemoryIsRaisedByAFifthAloneWhereAFewPagesWereReadBackAgain) {
  FakeModel model;
  model.pages_read_back = 5;
  FakeRuntime* runtime = nullptr;
  model.status = [&](const std::string&) {
    if (runtime->launches().back().limits.memory() < MiB(250)) {
      runtime->PassTime(std::chrono::milliseconds(1));
    }
    return 200;
  };
  LabBench bench(model);
  runtime = &bench.runtime;
  const Verification verified = Verified(bench, MiB(224));
  ASSERT_TRUE(verified.proof) << verified.why_not;
  EXPECT_LE(verified.proof->limits.memory(), MiB(272));
  for (const LaunchRequest& launch : runtime->launches()) {
    EXPECT_LE(launch.limits.memory(), MiB(272));
  }
}

TEST(NarrowingTest, AStepThatFailedOnTheWayIsOneOfTheTwoThatMakeTheAnswerTight) {
  FakeModel model;
  model.hot_file = MiB(100);  // beside what counts as used, and read again and again below
  LabBench bench(model);
  const Verification verified = Verified(bench, MiB(304));
  ASSERT_TRUE(verified.proof) << verified.why_not;
  EXPECT_EQ(verified.proof->limits.memory(), MiB(304));
  ASSERT_EQ(verified.failed.size(), 1U);
  const Bytes lower = verified.failed.front().limits.memory();
  const auto tries_below = [&] {
    const auto& launches = bench.runtime.launches();
    return std::count_if(launches.begin(), launches.end(), [&](const LaunchRequest& launch) {
      return launch.limits.memory() == lower;
    });
  };
  EXPECT_EQ(tries_below(), 1);
  const Tightness lowered =
      TestTightness(bench.lab, bench.MeasuredAt(kRowMs), verified, [](const Tightness&) {});
  EXPECT_EQ(lowered.tight(), true);
  EXPECT_EQ(tries_below(), 2);
}

}  // namespace
}  // namespace mlprof::server::phases
