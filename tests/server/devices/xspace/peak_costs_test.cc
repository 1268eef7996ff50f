// What costs in memory: at the peak of the program whose peak is the largest.
#include "server/devices/xspace/peak_costs.h"

#include <gtest/gtest.h>

#include "tests/server/devices/xspace/costed_trace.h"

namespace mlprof::server::xspace {
namespace {

TEST(PeakCostsTest, WhatStandsAtThePeakIsPaddingAndF32) {
  const Costed made(TraceOf({kWhole}, ProgramOfMemory()));
  const DeviceCosts costs = made.Find();
  ASSERT_TRUE(costs.peak);
  EXPECT_EQ(costs.program, "jit_step(7)");
  EXPECT_EQ(costs.peak->peak, 2 * 51'200'000);
  EXPECT_EQ(costs.peak->padding, 2 * 31'200'000);
  EXPECT_EQ(costs.peak->f32, 2 * 51'200'000);
  EXPECT_EQ(costs.peak->f32_as_bf16, 2 * 25'600'000);  // 100,000 rows are whole tiles of 16 too
  const std::string advice = made.Advice();
  EXPECT_TRUE(Says(advice, "59.5 MiB of the 97.7 MiB at the peak of jit_step(7) are padding"))
      << advice;
  EXPECT_TRUE(Says(advice, "at most 48.8 MiB in bfloat16")) << advice;
  const auto viewer = RunTool(*made.trace, "memory_viewer", {});
  const Json page = made.Page();
  EXPECT_EQ(page["padding"]["peakInMib"], (*viewer)["memory"]["peakInMib"]);
  EXPECT_NEAR(page["precision"]["f32AsBfloat16InMib"].get<double>(), 51.2e6 / (1 << 20), 1e-9);
}

TEST(PeakCostsTest, WhatIsBfloat16AlreadyIsNoF32) {
  const DeviceCosts costs =
      Costed(TraceOf({kWhole}, ProgramOfMemory(kMadeBf16, 25'600'000))).Find();
  EXPECT_EQ(costs.peak->f32, 0);
  EXPECT_EQ(costs.peak->padding, 2 * 15'600'000);
}

TEST(PeakCostsTest, OfSeveralProgramsTheOneWithTheLargestPeakIsTold) {
  const Costed made(Message()
                        .Sub(1, CoreOf({kWhole}))
                        .Sub(1, PlaneOfPrograms({{"jit_a(1)", MadeProgram().bytes()},
                                                 {"jit_b(2)", ProgramOfMemory().bytes()},
                                                 {"jit_c(3)", "\x0a\x05no"},
                                                 {"jit_d(4)", ProgramOfProducts().bytes()}}))
                        .bytes());
  EXPECT_EQ(made.Find().program, "jit_b(2)");
  EXPECT_EQ(made.Page()["programsNotRead"], 1);
  EXPECT_FALSE(Says(made.Advice(), "at the peak"));  // that one's may be larger
}

TEST(PeakCostsTest, WithoutProgramsNothingIsSaidOfMemory) {
  const Json page = Costed(TraceOf({kWhole})).Page();
  EXPECT_FALSE(page["padding"].contains("peakInMib"));
  EXPECT_FALSE(page["precision"].contains("f32AtPeakInMib"));
  EXPECT_FALSE(page.contains("programsNotRead"));
  EXPECT_EQ(page["costsMost"], "unknown");
}

}  // namespace
}  // namespace mlprof::server::xspace
