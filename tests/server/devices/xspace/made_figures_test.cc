// Traces made by hand, whose figures are worked out beside them: what no fixture has, and where the
// figures are meant to differ from XProf's (docs/DEVICE_TRACES.md).
#include <gtest/gtest.h>

#include "server/devices/xspace/groups.h"
#include "server/devices/xspace/op_metrics.h"
#include "server/devices/xspace/read_trace.h"
#include "server/devices/xspace/tools.h"
#include "tests/server/devices/xspace/made_trace.h"

namespace mlprof::server::xspace {
namespace {

struct Made {
  explicit Made(std::string encoded) : bytes(std::move(encoded)), trace(ReadTrace(bytes)) {}
  Json Run(const std::string& tool) const {
    const auto json = RunTool(*trace, tool, {});
    return json ? *json : Json();
  }
  std::string bytes;
  Result<Trace> trace;
};

double Value(const Json& json) { return json.is_number() ? json.get<double>() : -1; }

// Two steps of 100 us on a GPU: a copy of 20 us, a kernel of 60 us, 20 us of nothing between them.
// The host starts each within 5 us, by correlation ids.
std::string GpuTrace(const std::string& copy_name) {
  MadePlane host("/host:CPU");
  const auto root = host.StatName("_r");
  const auto step_num = host.StatName("step_num");
  const auto host_id = host.StatName("correlation_id");
  const auto train = host.Name("infer");
  const auto launch = host.Name("cuLaunch");
  MadePlane gpu("/device:GPU:0");
  const auto gpu_id = gpu.StatName("correlation_id");
  const auto details = gpu.StatName("memcpy_details");
  const auto tf_op = gpu.StatName("tf_op");
  const auto copy = gpu.Name(copy_name);
  const auto kernel = gpu.Name("gemm_fp16");
  std::vector<Message> host_events, gpu_events;
  for (std::uint64_t step = 0; step < 2; ++step) {
    const std::uint64_t at = 200 * step;
    host_events.push_back(
        MadeEvent(train, at, 5, {NumberStat(root, 1), NumberStat(step_num, step)}));
    host_events.push_back(MadeEvent(launch, at + 1, 1, {NumberStat(host_id, 10 + 2 * step)}));
    host_events.push_back(MadeEvent(launch, at + 3, 1, {NumberStat(host_id, 11 + 2 * step)}));
    gpu_events.push_back(
        MadeEvent(copy, at + 10, 20,
                  {NumberStat(gpu_id, 10 + 2 * step),
                   TextStat(details, "kind_src:pinned kind_dst:device size:4096")}));
    gpu_events.push_back(
        MadeEvent(kernel, at + 50, 60,
                  {NumberStat(gpu_id, 11 + 2 * step), TextStat(tf_op, "dense/MatMul:MatMul")}));
  }
  host.Line(MadeLine("python", host_events));
  gpu.Line(MadeLine("Stream #7(Compute)", gpu_events));
  return Message().Sub(1, host.message()).Sub(1, gpu.message()).bytes();
}

TEST(MadeFiguresTest, AStepOnAGpuIsFromItsFirstEventThereToItsLast) {
  const Json page = Made(GpuTrace("MemcpyHToD")).Run("input_pipeline_analyzer");
  ASSERT_EQ(page["steps"].size(), 2U);
  const Json& step = page["steps"][1];
  EXPECT_EQ(step["name"], "infer 1");
  EXPECT_NEAR(Value(step["stepTimeInMs"]), 0.100, 1e-9);
  EXPECT_NEAR(Value(step["inputInMs"]), 0.020, 1e-9);
  EXPECT_NEAR(Value(step["deviceComputeInMs"]), 0.060, 1e-9);
  EXPECT_NEAR(Value(step["otherInMs"]), 0.020, 1e-9);
  EXPECT_EQ(page["verdict"]["inputBound"], "highly");
}

TEST(MadeFiguresTest, ACopyIsOneByItsDetailsWhateverItsName) {
  const Json page = Made(GpuTrace("MemcpyH2D")).Run("input_pipeline_analyzer");
  EXPECT_NEAR(Value(page["steps"][0]["inputInMs"]), 0.020, 1e-9);
  EXPECT_NEAR(Value(page["steps"][0]["deviceComputeInMs"]), 0.060, 1e-9);
}

TEST(MadeFiguresTest, KernelsAreToldByTheOperationThatLaunchedThem) {
  const Json page = Made(GpuTrace("MemcpyHToD")).Run("overview_page");
  ASSERT_EQ(page["topOps"].size(), 1U);
  EXPECT_EQ(page["topOps"][0]["name"], "dense/MatMul");
  EXPECT_EQ(page["topOps"][0]["type"], "MatMul");
  EXPECT_NEAR(Value(page["topOps"][0]["selfTimeInMs"]), 0.120, 1e-9);
  EXPECT_EQ(page["environment"]["deviceCount"], 1);
}

// A core that runs for 100 us: a loop of 80 us around an addition of 60 us with 6e6 operations,
// then nothing for 20 us. Its peak is 1e12 a second.
std::string LoopTrace() {
  MadePlane core("/device:TPU:0");
  const auto program = core.StatName("program_id");
  const auto symbol = core.StatName("symbol_id");
  const auto category = core.StatName("hlo_category");
  const auto flops = core.StatName("flops");
  const auto peak = core.StatName("peak_teraflops_per_second");
  core.Stat(Message().Number(1, peak).Double(2, 1.0));
  const auto facts = [&](std::uint64_t id, const std::string& what, std::uint64_t count) {
    return std::vector<Message>{NumberStat(program, 7), NumberStat(symbol, id),
                                TextStat(category, what), NumberStat(flops, count)};
  };
  const auto loop = core.Name("%while", facts(1, "while", 6'000'000), "while.1");
  const auto add = core.Name("%add = f32[100,50]{1,0:T(8,128)} add(%a, %b)",
                             facts(2, "add", 6'000'000), "add.2");
  const auto step = core.Name("step");
  core.Line(MadeLine("Steps", {MadeEvent(step, 0, 100)}));
  core.Line(MadeLine("XLA Modules", {MadeEvent(step, 0, 80)}));
  core.Line(MadeLine("XLA Ops", {MadeEvent(loop, 0, 80), MadeEvent(add, 10, 60)}));
  return Message().Sub(1, core.message()).bytes();
}

TEST(MadeFiguresTest, APeaksShareIsOverTheTimeThatPassed) {
  // 6e6 operations in 100 us are 6e10 a second: 6% of the peak. What the loop holds counts once.
  const Made made(LoopTrace());
  EXPECT_NEAR(Value(made.Run("overview_page")["device"]["flopsUtilizationPercent"]), 6, 1e-9);
  const Json root = made.Run("op_profile")["root"]["metrics"];
  EXPECT_NEAR(Value(root["flopsUtilization"]), 0.06, 1e-9);
  EXPECT_NEAR(Value(root["timeInUs"]), 100, 1e-9);
  EXPECT_NEAR(Value(root["flops"]), 6e6, 1e-3);
}

TEST(MadeFiguresTest, SelfTimeIsWithoutWhatIsNested) {
  const Json stats = Made(LoopTrace()).Run("hlo_stats");
  ASSERT_EQ(stats["ops"].size(), 2U);
  EXPECT_EQ(stats["ops"][0]["name"], "add.2");
  EXPECT_NEAR(Value(stats["ops"][0]["selfTimePercent"]), 60, 1e-9);
  EXPECT_NEAR(Value(stats["ops"][1]["selfTimeInUs"]), 20, 1e-9);
  EXPECT_NEAR(Value(stats["ops"][1]["timeInUs"]), 80, 1e-9);
  EXPECT_NEAR(Value(stats["idlePercent"]), 20, 1e-9);
}

TEST(MadeFiguresTest, AnOperationsPaddingIsThatOfItsTiles) {
  const Json card = Made(LoopTrace()).Run("hlo_stats")["ops"][0];
  EXPECT_EQ(card["shape"], "f32[100,50]{1,0:T(8,128)}");
  EXPECT_NEAR(Value(card["unpaddedInBytes"]), 100 * 50 * 4, 1e-9);
  EXPECT_NEAR(Value(card["paddedInBytes"]), 104 * 128 * 4, 1e-9);
  EXPECT_NEAR(Value(card["expansion"]), 104.0 * 128 / (100 * 50), 1e-9);
  EXPECT_NEAR(Value(card["layout"][1]["paddingPercent"]), 100.0 * 78 / 128, 1e-9);
}

TEST(MadeFiguresTest, ACustomCallDoesWhatEachRunTellsElseWhatItsNameTells) {
  MadePlane core("/device:TPU:0");
  const auto program = core.StatName("program_id");
  const auto symbol = core.StatName("symbol_id");
  const auto category = core.StatName("hlo_category");
  const auto flops = core.StatName("flops");
  const auto call = core.Name("call.1", {NumberStat(program, 7), NumberStat(symbol, 1),
                                         TextStat(category, "custom-call"), NumberStat(flops, 10)});
  core.Line(MadeLine("XLA Ops",
                     {MadeEvent(call, 0, 1, {NumberStat(flops, 100)}),
                      MadeEvent(call, 2, 1, {NumberStat(flops, 200)}), MadeEvent(call, 4, 1)}));
  const Made made(Message().Sub(1, core.message()).bytes());
  const OpTable table = CollectOps(*made.trace);
  ASSERT_EQ(table.ops.size(), 1U);
  EXPECT_NEAR(table.ops[0].flops, 100 + 200 + 10, 1e-9);
}

// Two runs of a core that overlap, and a step beside the one that began first.
TEST(MadeFiguresTest, AStepIsThatOfTheModuleBesideItThoughAnotherEndedBefore) {
  MadePlane core("/device:TPU:0");
  const auto run = core.StatName("run_id");
  const auto name = core.Name("m");
  core.Line(MadeLine("Steps", {MadeEvent(name, 50, 10)}));
  core.Line(MadeLine("XLA Modules", {MadeEvent(name, 0, 100, {NumberStat(run, 1)}),
                                     MadeEvent(name, 10, 10, {NumberStat(run, 2)})}));
  const Made made(Message().Sub(1, core.message()).bytes());
  const auto cores = GroupTensorCores(*made.trace, GroupHost(*made.trace));
  const CoreGroups& groups = cores.at(&made.trace->planes[0]);
  ASSERT_EQ(groups.steps.size(), 1U);
  EXPECT_EQ(groups.steps[0].group, groups.modules[0].group);
}

TEST(MadeFiguresTest, OnTheHostOperationsAreToldByTheirTimes) {
  MadePlane host("/host:CPU");
  const auto hlo_op = host.StatName("hlo_op");
  const auto dot = host.Name("dot.1");
  const auto mark = host.Name("end: dot.1");
  const auto note = host.Name("note");
  host.Line(
      MadeLine("t", {MadeEvent(dot, 0, 50, {TextStat(hlo_op, "dot.1")}), MadeEvent(note, 10, 5),
                     MadeEvent(mark, 45, 1, {TextStat(hlo_op, "dot.1")})}));
  const Made made(Message().Sub(1, host.message()).bytes());
  const Json ops = made.Run("hlo_stats")["ops"];
  ASSERT_EQ(ops.size(), 1U);
  EXPECT_NEAR(Value(ops[0]["selfTimeInUs"]), 50, 1e-9);
  EXPECT_EQ(ops[0]["category"], "dot");
  const Json program = made.Run("op_profile")["root"]["children"][0];
  EXPECT_EQ(program["children"][0]["children"][0]["name"], "dot.1");
}

TEST(MadeFiguresTest, AStageOfTheInputIsItselfWhateverElseHasItsId) {
  // The stage's id is also that of the name "other", which XProf counts too.
  MadePlane host("/host:CPU");
  const auto id = host.StatName("_ipl_stage_id");
  const auto name = host.StatName("_ipl_stage_name");
  const auto category = host.StatName("_ipl_stage_cat");
  const auto other = host.Name("other");
  const auto stage = host.Name("stage");
  host.Line(MadeLine(
      "t", {MadeEvent(other, 0, 50), MadeEvent(stage, 100, 30,
                                               {NumberStat(id, other), TextStat(name, "load"),
                                                TextStat(category, "read")})}));
  const Json ops =
      Made(Message().Sub(1, host.message()).bytes()).Run("input_pipeline_analyzer")["inputOps"];
  ASSERT_EQ(ops.size(), 1U);
  EXPECT_EQ(ops[0]["name"], "load");
  EXPECT_EQ(ops[0]["class"], "demandedFileRead");
  EXPECT_EQ(Value(ops[0]["count"]), 1);
  EXPECT_NEAR(Value(ops[0]["selfTimeInMs"]), 0.030, 1e-9);
}

TEST(MadeFiguresTest, StagesOfTfDataAreClassedByTheirNames) {
  MadePlane host("/host:CPU");
  std::vector<Message> events;
  std::uint64_t at = 0;
  for (const char* name :
       {"Iterator::Root::Map", "Iterator::Root::TFRecord", "Iterator::Root::Prefetch::TFRecord"}) {
    events.push_back(MadeEvent(host.Name(name), at, 10));
    at += 10;
  }
  host.Line(MadeLine("t", events));
  const Json page = Made(Message().Sub(1, host.message()).bytes()).Run("input_pipeline_analyzer");
  EXPECT_NEAR(Value(page["host"]["preprocessingInUs"]), 10, 1e-9);
  EXPECT_NEAR(Value(page["host"]["demandedFileReadInUs"]), 10, 1e-9);
  EXPECT_NEAR(Value(page["host"]["advancedFileReadInUs"]), 10, 1e-9);
}

TEST(MadeFiguresTest, AnAllocatorsPeakNamesWhatStoodThen) {
  MadePlane host("/host:CPU");
  const auto allocator = host.StatName("allocator_name");
  const auto allocated = host.StatName("bytes_allocated");
  const auto available = host.StatName("bytes_available");
  const auto bytes = host.StatName("allocation_bytes");
  const auto address = host.StatName("addr");
  const auto op = host.StatName("tf_op");
  const auto alloc = host.Name("MemoryAllocation");
  const auto dealloc = host.Name("MemoryDeallocation");
  const auto event = [&](std::uint64_t name, std::uint64_t at, std::uint64_t used,
                         std::uint64_t size, std::uint64_t where, const std::string& who) {
    return MadeEvent(name, at, 0,
                     {TextStat(allocator, "cpu"), NumberStat(allocated, used),
                      NumberStat(available, 1000 - used), NumberStat(bytes, size),
                      NumberStat(address, where), TextStat(op, who)});
  };
  host.Line(MadeLine("t", {event(alloc, 1, 300, 100, 1, "a"), event(alloc, 2, 700, 400, 2, "b"),
                           event(dealloc, 3, 300, 400, 2, "b"), event(alloc, 4, 350, 50, 3, "c")}));
  const Json memory =
      Made(Message().Sub(1, host.message()).bytes()).Run("memory_profile")["allocators"]["cpu"];
  EXPECT_EQ(Value(memory["peak"]["usedInBytes"]), 700);
  EXPECT_EQ(Value(memory["capacityInBytes"]), 1000);
  ASSERT_EQ(memory["activeAtPeak"].size(), 3U);
  EXPECT_EQ(memory["activeAtPeak"][0]["op"], "b");
  EXPECT_EQ(Value(memory["activeAtPeak"][2]["sizeInBytes"]), 200);  // before the trace began
}

TEST(MadeFiguresTest, ATraceWithoutStepsSaysHowToMarkThem) {
  MadePlane host("/host:CPU");
  host.Line(MadeLine("t", {MadeEvent(host.Name("work"), 0, 5)}));
  const Json page = Made(Message().Sub(1, host.message()).bytes()).Run("input_pipeline_analyzer");
  EXPECT_EQ(page["verdict"]["inputBound"], "unknown");
  EXPECT_NE(page["nextSteps"][0].get<std::string>().find("StepTraceAnnotation"), std::string::npos);
}

TEST(MadeFiguresTest, AWindowHoldsWhatReachesIntoIt) {
  MadePlane host("/host:CPU");
  const auto name = host.Name("e\"\n");
  std::vector<Message> events;
  for (std::uint64_t i = 0; i < 1000; ++i) events.push_back(MadeEvent(name, 10 * i, 9));
  host.Line(MadeLine("t", events));
  const Made made(Message().Sub(1, host.message()).bytes());
  const auto count = [&](double from_ms, double to_ms, std::size_t resolution) {
    ToolOptions options;
    options.from_ms = from_ms;
    options.to_ms = to_ms;
    options.resolution = resolution;
    std::string text;
    EXPECT_TRUE(WriteChromeTrace(*made.trace, options, [&](std::string_view piece) -> Status {
      text += piece;
      return {};
    }));
    const auto json = ParseJson(text);
    EXPECT_TRUE(json) << text.substr(0, 200);
    std::size_t drawn = 0;
    for (const Json& event : (*json)["traceEvents"]) drawn += event.value("ph", "") == "X" ? 1 : 0;
    return drawn;
  };
  EXPECT_EQ(count(0, 0, 0), 1000U);
  EXPECT_EQ(count(1.0, 2.0, 0), 101U);
  EXPECT_LE(count(0, 0, 100), 102U);
  EXPECT_GE(count(0, 0, 100), 99U);
}

}  // namespace
}  // namespace mlprof::server::xspace
