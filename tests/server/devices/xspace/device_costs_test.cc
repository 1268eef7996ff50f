// What costs on a device: traces and programs made by hand, whose figures are worked out beside
// them, and the fixtures.
#include "server/devices/xspace/device_costs.h"

#include <gtest/gtest.h>

#include <cmath>

#include "server/devices/xspace/program_costs.h"
#include "tests/server/devices/xspace/costed_trace.h"

namespace mlprof::server::xspace {
namespace {

TEST(DeviceCostsTest, PaddedIsWhatTakesAQuarterMoreThanItsElements) {
  // 8 columns are 128: 512,000 bytes for 32,000, and the same for the operand.
  const Costed made(TraceOf(
      {kWhole,
       {"%fusion.1 = f32[1000,8]{1,0:T(8,128)} fusion(f32[1000,8]{1,0:T(8,128)} %a), kind=kLoop",
        "loop fusion", 60}}));
  const DeviceCosts costs = made.Find();
  ASSERT_TRUE(costs.ops);
  EXPECT_NEAR(costs.PercentOfAllTime(costs.ops->padded_ps), 60, 1e-9);
  EXPECT_NEAR(costs.PercentOfAllTime(costs.ops->padding_ps), 60 * 15.0 / 16, 1e-9);
  ASSERT_EQ(costs.ops->most_padded.size(), 1U);
  EXPECT_EQ(costs.ops->most_padded[0].name, "fusion.1");
  EXPECT_EQ(costs.ops->most_padded[0].shape, "f32[1000,8]{1,0:T(8,128)}");
  EXPECT_NEAR(costs.ops->most_padded[0].expansion, 16, 1e-9);
  EXPECT_EQ(costs.costs_most, CostsMost::kPadding);
  EXPECT_TRUE(Says(made.Advice(), "60.0% of the operations' time")) << made.Advice();
  EXPECT_TRUE(Says(made.Advice(), "fusion.1 (f32[1000,8]{1,0:T(8,128)}, 16.0 times)"));
  EXPECT_FALSE(costs.peak);
}

TEST(DeviceCostsTest, ASmallTensorAndOneBesideALargeAreNotCalledPadded) {
  // A scalar in a tile of its own; a vector beside 1,024 rows that are whole.
  const Costed made(
      TraceOf({{"%a.1 = f32[1,1]{1,0:T(8,128)} add(f32[1,1]{1,0:T(8,128)} %x)", "add", 50},
               {"%b.2 = f32[1024,1024]{1,0:T(8,128)} add(f32[1024,1024]{1,0:T(8,128)} %x, "
                "f32[1,1024]{1,0:T(8,128)} %y)",
                "add", 50}}));
  const DeviceCosts costs = made.Find();
  EXPECT_NEAR(costs.ops->told_ps, costs.ops->all_ps, 1e-3);
  EXPECT_EQ(costs.ops->padded_ps, 0);
  EXPECT_EQ(made.Advice(), "");
  EXPECT_EQ(costs.costs_most, CostsMost::kUnknown);  // nothing is known of the input
}

TEST(DeviceCostsTest, TheThreeThatTakeMostAreNamed) {
  std::vector<RunOp> ops;
  for (std::uint64_t us : {5U, 9U, 7U, 1U, 8U}) {
    ops.push_back(
        {"%copy." + std::to_string(us) + " = f32[1000,8]{1,0:T(8,128)} copy(%a)", "copy", us});
  }
  const Json page = Costed(TraceOf(ops)).Page()["padding"];
  ASSERT_EQ(page["ops"].size(), 3U);
  EXPECT_EQ(page["ops"][0]["name"], "copy.9");
  EXPECT_EQ(page["ops"][1]["name"], "copy.8");
  EXPECT_EQ(page["ops"][2]["name"], "copy.7");
  EXPECT_NEAR(page["ops"][0]["selfTimePercent"].get<double>(), 30, 1e-9);
  EXPECT_NEAR(page["paddedTimePercent"].get<double>(), 100, 1e-9);
}

TEST(DeviceCostsTest, PrecisionIsThatOfWhatIsMultiplied) {
  const Costed made(TraceOf({{Dot(1, "f32"), "dot", 50},
                             {Dot(2, "bf16"), "dot", 30},
                             {"%x.3 = f32[] dot(%a, %b)", "dot", 5},
                             {kWhole.text, "add", 15}}));
  const DeviceCosts costs = made.Find();
  EXPECT_NEAR(costs.PercentOfAllTime(costs.ops->matrix_ps), 85, 1e-9);
  EXPECT_NEAR(costs.PercentOfAllTime(costs.ops->f32_ps), 50, 1e-9);
  EXPECT_NEAR(costs.PercentOfAllTime(costs.ops->matrix_not_told_ps), 5, 1e-9);
  EXPECT_EQ(costs.costs_most, CostsMost::kPrecision);
  const std::string advice = made.Advice();
  EXPECT_TRUE(Says(advice, "50.0% of the operations' time")) << advice;
  EXPECT_TRUE(Says(advice, "check the accuracy")) << advice;
  EXPECT_TRUE(Says(advice, "TPUs multiply f32 in bfloat16 unless")) << advice;
}

TEST(DeviceCostsTest, AFusionOfBfloat16IsNoProductOfF32) {
  const Costed made(
      TraceOf({{"%fusion.1 = f32[128,128]{1,0} fusion(bf16[128,128]{1,0} %a, bf16[128,128]{1,0} "
                "%b, f32[128]{0} %bias), kind=kOutput",
                "convolution fusion", 10},
               {"%fusion.2 = f32[128,128]{1,0} fusion(f32[128,128]{1,0} %a, f32[128,128]{1,0} %b, "
                "s32[4,4]{1,0} %i), kind=kOutput",
                "convolution fusion", 30}}));
  const DeviceCosts costs = made.Find();
  EXPECT_NEAR(costs.PercentOfAllTime(costs.ops->matrix_ps), 100, 1e-9);
  EXPECT_NEAR(costs.PercentOfAllTime(costs.ops->f32_ps), 75, 1e-9);
}

TEST(DeviceCostsTest, AProgramsOwnInstructionsSayWhatAFusionMultiplies) {
  const std::string shape = " = f32[128,128]{1,0} ";
  const Costed made(TraceOf({{"%fusion.7" + shape + "fusion(bf16[128,128]{1,0} %a)", "x", 10},
                             {"%fusion.8" + shape + "fusion(f32[128,128]{1,0} %a)", "x", 20},
                             {"%call.9" + shape + "custom-call(%a, %b)", "custom-call", 30},
                             {"%call.10" + shape + "custom-call(%a, %b)", "custom-call", 35},
                             {"%dot.11" + shape + "dot(%a, %b)", "dot", 5}},
                            ProgramOfProducts()));
  const DeviceCosts costs = made.Find();
  EXPECT_NEAR(costs.PercentOfAllTime(costs.ops->f32_ps), 10 + 30, 1e-9);
  EXPECT_NEAR(costs.PercentOfAllTime(costs.ops->matrix_ps), 10 + 20 + 30 + 5, 1e-9);
  EXPECT_NEAR(costs.PercentOfAllTime(costs.ops->matrix_not_told_ps), 5, 1e-9);
}

// A kernel of a GPU by its HLO, of the program 7, and how new the GPU is; 0 does not tell.
std::string GpuTraceOf(std::uint64_t capability) {
  MadePlane gpu("/device:GPU:0");
  const auto hlo_op = gpu.StatName("hlo_op");
  const auto program = gpu.StatName("program_id");
  const auto major = gpu.StatName("compute_cap_major");
  if (capability > 0) gpu.Stat(NumberStat(major, capability));
  gpu.Line(MadeLine("Stream #7(Compute)",
                    {MadeEvent(gpu.Name("sgemm"), 0, 100,
                               {TextStat(hlo_op, "fusion.7"), NumberStat(program, 7)})}));
  return Message()
      .Sub(1, gpu.message())
      .Sub(1, PlaneOfPrograms({{"jit_step(7)", ProgramOfProducts().bytes()}}))
      .bytes();
}

TEST(DeviceCostsTest, AGpuWithoutUnitsForItIsAdvisedNoBfloat16) {
  EXPECT_EQ(Costed(GpuTraceOf(7)).Advice(), "");
  EXPECT_FALSE(Costed(GpuTraceOf(7)).Page()["precision"]["bfloat16Units"].get<bool>());
  EXPECT_EQ(Costed(GpuTraceOf(8)).Find().costs_most, CostsMost::kPrecision);
  EXPECT_TRUE(Says(Costed(GpuTraceOf(8)).Advice(), "100.0% of the operations' time"));
  EXPECT_TRUE(Says(Costed(GpuTraceOf(0)).Advice(), "from compute capability 8.0"));
}

TEST(DeviceCostsTest, OnCpusFiguresAreToldAndNothingIsAdvised) {
  MadePlane host("/host:CPU");
  const auto hlo_op = host.StatName("hlo_op");
  const auto program = host.StatName("program_id");
  host.Line(MadeLine("t", {MadeEvent(host.Name("fusion.7"), 0, 100,
                                     {TextStat(hlo_op, "fusion.7"), NumberStat(program, 7)})}));
  const Costed made(Message()
                        .Sub(1, host.message())
                        .Sub(1, PlaneOfPrograms({{"jit_step(7)", ProgramOfProducts().bytes()}}))
                        .bytes());
  const Json page = made.Page();
  EXPECT_NEAR(page["precision"]["f32MatrixTimePercent"].get<double>(), 100, 1e-9);
  EXPECT_FALSE(page["precision"].contains("bfloat16Units"));
  EXPECT_EQ(made.Advice(), "");
  EXPECT_EQ(page["costsMost"], "unknown");
}

TEST(DeviceCostsTest, NumbersOfAHostileProgramStayWithinThePeak) {
  const std::uint64_t longest = (1ULL << 63U) - 1, all_bits = ~0ULL, least = 1ULL << 63U;
  for (const std::uint64_t number : {all_bits, longest, least, std::uint64_t{0}}) {
    for (const std::uint64_t size : {all_bits, longest, std::uint64_t{1'000}}) {
      const Message shape =
          MadeShape(kMadeF32, std::vector<std::uint64_t>(64, number), {number, number, number});
      MadeProgram program;
      program.Computation(1, {{1, "p", "dot", shape, {1, 1, number}, {1, number}, ""},
                              {2, "f", "fusion", shape, {number}, {1, number}, ""}});
      program.Computation(number, {{number, "p", "fusion", shape, {}, {number}, ""}});
      program.Parameter("p", size).Parameter("p", size).Temporary("f", size).Temporary("f", size);
      const Costed made(
          TraceOf({{"%p = f32[-1,5]{1,0:T(-8,128)} dot(f32[-1]{0} %a)", "dot", 1}}, program));
      EXPECT_FALSE(DumpJson(made.Page()).empty());
      const DeviceCosts costs = made.Find();
      if (!costs.peak) continue;  // it takes less than nothing
      for (const double one :
           {costs.peak->peak, costs.peak->padding, costs.peak->f32, costs.peak->f32_as_bf16}) {
        EXPECT_TRUE(std::isfinite(one) && one >= 0) << number << " " << size;
        EXPECT_LE(one, costs.peak->peak);
      }
    }
  }
}

TEST(DeviceCostsTest, ALayoutOfThousandsOfTilesIsReadWithinBounds) {
  Message layout;
  for (int i = 0; i < 5'000; ++i) layout.Sub(6, Message().Number(1, 8).Number(1, 128));
  MadeProgram program;
  const Message shape = Message().Number(2, kMadeF32).Number(3, 100).Number(3, 50).Sub(5, layout);
  program.Computation(1, {{1, "p", "parameter", shape, {}, {}, ""}});
  program.Parameter("p", std::uint64_t{104} * 128 * 4);
  std::string text = "%a.1 = f32[100,50]{1,0:T";
  for (int i = 0; i < 5'000; ++i) text += "(8,128)";
  const Costed made(TraceOf({{text + "} add(%a)", "add", 1}}, program));
  const DeviceCosts costs = made.Find();
  EXPECT_EQ(costs.peak->padding, 104 * 128 * 4 - 100 * 50 * 4);
  EXPECT_EQ(costs.peak->f32_as_bf16, 112 * 128 * 2);
}

TEST(DeviceCostsTest, ItEndsWhenItsTimeIsOver) {
  const Costed made(TraceOf({{Dot(1, "f32"), "dot", 50}}, ProgramOfMemory()));
  const TimeLimit late([] { return true; });
  const DeviceCosts costs = made.Find(late);
  EXPECT_FALSE(late.Kept());
  EXPECT_FALSE(costs.peak);
  EXPECT_EQ(costs.ops->matrix_ps, 0);
}

TEST(DeviceCostsTest, TheFixtureOfTensorCoresIsPadded) {
  const Costed made(FixtureBytes("tpu_synth_flow.xplane.pb"));
  const DeviceCosts costs = made.Find();
  EXPECT_NEAR(*costs.input_percent, 11.1, 0.05);
  EXPECT_NEAR(*costs.duty_cycle_percent, 76.0, 0.05);
  EXPECT_EQ(costs.ops->f32_ps, 0);  // its product is of bfloat16
  EXPECT_NEAR(costs.ops->matrix_ps / costs.ops->all_ps, 0.4706, 1e-4);
  // Of 17 ms, 8 are fusion.1's, which writes 53,248 bytes for 20,000 and reads 104,448 for 60,000;
  // 6 go to what reads and writes 53,248 for 20,000 each. Input and the loop are not told.
  EXPECT_NEAR(costs.ops->told_ps / costs.ops->all_ps, 14.0 / 17, 1e-9);
  EXPECT_NEAR(costs.ops->padded_ps / costs.ops->all_ps, 14.0 / 17, 1e-9);
  EXPECT_NEAR(costs.ops->padding_ps / costs.ops->all_ps,
              (8 * 77'696.0 / 157'696 + 6 * 66'496.0 / 106'496) / 17, 1e-9);
  EXPECT_EQ(costs.ops->most_padded.at(0).name, "fusion.1");
  EXPECT_EQ(costs.costs_most, CostsMost::kPadding);
}

TEST(DeviceCostsTest, WhereItWaitsForInputMostOfTheTimeThatComesFirst) {
  DeviceCosts costs;
  Bottleneck bottleneck;
  bottleneck.input = "highly";
  bottleneck.input_percent = 25;
  const Costed made(TraceOf({{Dot(1, "f32"), "dot", 50}}));
  costs = FindDeviceCosts(*made.trace, CollectOps(*made.trace), bottleneck, {});
  EXPECT_EQ(costs.costs_most, CostsMost::kInput);
  bottleneck.input = "moderately";
  bottleneck.input_percent = 15;  // less than half of the time of its product
  costs = FindDeviceCosts(*made.trace, CollectOps(*made.trace), bottleneck, {});
  EXPECT_EQ(costs.costs_most, CostsMost::kPrecision);
}

TEST(DeviceCostsTest, OfAModelOfTheHostAllIsF32ButTheTableOfItsOutputs) {
  const Costed made(FixtureBytes("jax_cpu.xplane.pb"));
  for (const auto& [name, bytes] : HloProtos(*made.trace)) {
    if (name != "jit_score_fn(14)") continue;
    HloLimits limits;
    const auto module = ReadHlo(bytes, limits);
    ASSERT_TRUE(module);
    const PeakCosts costs = PeakCostsOf(*module, WalkHeap(*module, 0), {});
    EXPECT_GT(costs.f32, 2 * 1024 * 256 * 4);  // its weights
    EXPECT_EQ(costs.peak - costs.f32, 16);
    EXPECT_EQ(costs.f32_as_bf16, costs.f32 / 2);
    EXPECT_EQ(costs.padding, 0);
    const MatrixIndex products = FindMatrixOperands(bytes, *module, {});
    EXPECT_EQ(products.at("ynn_fusion.3"), MatrixOperands::kF32);
    EXPECT_EQ(products.at("conv_general_dilated.1"), MatrixOperands::kF32);
    EXPECT_FALSE(products.contains("ynn_fusion.2"));
    return;
  }
  FAIL() << "the fixture holds no such program";
}

TEST(DeviceCostsTest, ATraceOfTheHostHasFiguresOfItsPrograms) {
  const Costed made(FixtureBytes("jax_cpu.xplane.pb"));
  const DeviceCosts costs = made.Find();
  ASSERT_TRUE(costs.peak);
  EXPECT_EQ(costs.program, (*RunTool(*made.trace, "memory_viewer", {}))["memory"]["name"]);
  // It makes random numbers, which are integers at its peak.
  EXPECT_EQ(costs.peak->f32, 0);
  EXPECT_EQ(costs.peak->padding, 0);
  EXPECT_GT(costs.ops->f32_ps, 0);
  EXPECT_EQ(made.Advice(), "");
  EXPECT_EQ(costs.costs_most, CostsMost::kNone);
}

}  // namespace
}  // namespace mlprof::server::xspace
