// What a trace may make the reader write, remember and work for is bounded, and what a document
// lacks for it is told.
#include <gtest/gtest.h>

#include <chrono>
#include <limits>

#include "server/devices/xspace/hlo_module.h"
#include "server/devices/xspace/read_trace.h"
#include "server/devices/xspace/tools.h"
#include "tests/server/devices/xspace/made_trace.h"

namespace mlprof::server::xspace {
namespace {

struct Bounded {
  explicit Bounded(std::string encoded) : bytes(std::move(encoded)), trace(ReadTrace(bytes)) {}
  explicit Bounded(const MadePlane& plane) : Bounded(Message().Sub(1, plane.message()).bytes()) {}
  Json Run(const std::string& tool, const ToolOptions& options = {}) const {
    const auto json = RunTool(*trace, tool, options);
    return json ? *json : Json(json.error().message());
  }
  std::string bytes;
  Result<Trace> trace;
};

TEST(BoundsTest, EveryToolEndsWhenItsTimeIsOver) {
  for (const std::string name : {"tpu_synth_flow.xplane.pb", "jax_cpu.xplane.pb"}) {
    const Bounded made(FixtureBytes(name));
    ToolOptions late;
    late.time = TimeLimit([] { return true; });
    for (const std::string& tool : ToolNames()) {
      Status ended;
      if (tool == "trace_viewer") {
        ended = WriteChromeTrace(*made.trace, late, [](std::string_view) { return Status(); });
      } else if (const auto document = RunTool(*made.trace, tool, late); !document) {
        ended = Fail(document.error());
      }
      ASSERT_FALSE(ended) << tool << " of " << name;
      EXPECT_EQ(ended.error().code(), ErrorCode::kDeadlineExceeded) << tool << " of " << name;
    }
  }
}

TEST(BoundsTest, ATimeLimitThatIsOverOnceStaysSo) {
  int asked = 0;
  const TimeLimit limit([&] { return ++asked == 2; });
  EXPECT_FALSE(limit.Over());
  EXPECT_TRUE(limit.Kept());
  EXPECT_TRUE(limit.OverNow());
  EXPECT_TRUE(limit.OverNow());
  EXPECT_FALSE(limit.Kept());
}

// As many stats as a name may have, the wanted one not among them or behind all others.
TEST(BoundsTest, WhatAllEventsShareIsNotSearchedForEach) {
  MadePlane host("/host:CPU");
  const auto other = host.StatName("other");
  const auto stage = host.StatName("_ipl_stage_id");
  host.StatName("_ipl_stage_cat");
  host.StatName("_ipl_stage_name");
  std::vector<Message> stats(kMostSharedStats - 1, NumberStat(other, 1));
  stats.push_back(NumberStat(stage, 1));
  const auto name = host.Name("e", stats);
  std::vector<Message> events;
  for (std::uint64_t i = 0; i < 400'000; ++i) events.push_back(MadeEvent(name, i, 1));
  host.Line(MadeLine("t", events));
  const Bounded made(host);
  const auto start = std::chrono::steady_clock::now();
  (void)made.Run("input_pipeline_analyzer");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

TEST(BoundsTest, AnEventWithMuchToTellIsWrittenInPieces) {
  MadePlane host("/host:CPU");
  const auto note = host.StatName("note");
  const std::vector<Message> notes(1'000, TextStat(note, std::string(2'000, '\x01')));
  host.Line(MadeLine("t", {MadeEvent(host.Name("e"), 0, 1, notes)}));
  const Bounded made(host);
  std::size_t largest = 0, calls = 0;
  EXPECT_TRUE(WriteChromeTrace(*made.trace, {}, [&](std::string_view piece) -> Status {
    largest = std::max(largest, piece.size());
    return {};
  }));
  EXPECT_LE(largest, 80U * 1024);
  EXPECT_FALSE(WriteChromeTrace(*made.trace, {}, [&](std::string_view) -> Status {
    ++calls;
    return Fail(Unavailable("full"));
  }));
  EXPECT_EQ(calls, 1U);
}

TEST(BoundsTest, ListsOfADocumentEndAndTellWhatTheyLack) {
  MadePlane host("/host:CPU");
  const auto root = host.StatName("_r");
  const auto allocator = host.StatName("allocator_name");
  const auto step = host.Name("step");
  const auto work = host.Name("work");
  const auto alloc = host.Name("MemoryAllocation");
  std::vector<Message> events;
  for (std::uint64_t i = 0; i < 10'102; ++i) {
    events.push_back(MadeEvent(step, 10 * i, 9, {NumberStat(root, 1)}));
    events.push_back(MadeEvent(work, 10 * i + 1, 1));
  }
  std::vector<Message> others;
  for (int i = 0; i < 1'050; ++i) {
    others.push_back(MadeEvent(host.Name("Iterator::" + std::to_string(i)), 1, 1));
    if (i >= 150) continue;
    others.push_back(MadeEvent(alloc, 1, 1, {TextStat(allocator, std::to_string(i))}));
  }
  host.Line(MadeLine("steps", events));
  host.Line(MadeLine("others", others));
  Message space = Message().Sub(1, host.message());
  for (int i = 0; i < 110; ++i) space.Text(2, "error").Text(3, "warning");
  for (int i = 0; i < 1'010; ++i) space.Text(4, "host");
  const Bounded made(space.bytes());
  const auto expect = [](const Json& in, const std::string& list, std::size_t most,
                         std::size_t left_out) {
    ASSERT_TRUE(in.contains(list)) << list;
    EXPECT_EQ(in[list].size(), most) << list;
    EXPECT_EQ(in.value(list + "LeftOut", std::size_t{0}), left_out) << list;
  };
  const Json input = made.Run("input_pipeline_analyzer");
  expect(input, "steps", 10'000, 100);  // the first and the last are cut by the trace's ends
  EXPECT_EQ(input["summary"]["count"], 10'100);
  expect(input, "inputOps", 1'000, 50);
  const Json page = made.Run("overview_page");
  expect(page, "errors", 100, 10);
  expect(page, "warnings", 100, 10);
  expect(page["environment"], "hosts", 1'000, 10);
  expect(made.Run("memory_profile"), "allocators", 100, 50);
}

TEST(BoundsTest, AProfileThatWouldBeTooLargeLacksNodesAndTellsHowMany) {
  MadePlane core("/device:TPU:0");
  const auto program = core.StatName("program_id");
  const auto symbol = core.StatName("symbol_id");
  const auto category = core.StatName("hlo_category");
  std::vector<Message> texts;
  for (const char* name : {"tf_op", "shape_with_layout", "source"}) {
    const auto long_text = core.StatName(std::string(20'000, *name));
    texts.push_back(Message().Number(1, core.StatName(name)).Number(7, long_text));
  }
  std::vector<Message> events;
  for (std::uint64_t i = 0; i < 2'000; ++i) {
    std::vector<Message> stats = texts;
    stats.push_back(NumberStat(program, 1));
    stats.push_back(NumberStat(symbol, i));
    stats.push_back(TextStat(category, i % 2 == 0 ? "even" : "odd"));
    events.push_back(MadeEvent(core.Name("op." + std::to_string(i), stats), i, 1));
  }
  core.Line(MadeLine("XLA Ops", events));
  ToolOptions options;
  options.top = 1'000;
  options.grouping = OpGrouping::kCategory;
  const Json profile = Bounded(core).Run("op_profile", options);
  EXPECT_GT(profile["root"].value("nodesLeftOut", 0), 100);
  EXPECT_LT(DumpJson(profile).size(), 80U << 20U);
}

TEST(BoundsTest, ProgramsAreReadUpToALimitTheyShare) {
  const std::string program =
      Message()
          .Sub(1, Message().Sub(3, Message().Sub(2, Message().Text(1, "a")).Sub(2, Message())))
          .bytes();
  HloLimits limits{.parts_left = 5};
  EXPECT_TRUE(ReadHlo(program, limits));
  const auto second = ReadHlo(program, limits);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code(), ErrorCode::kTooLarge);
}

TEST(BoundsTest, AProgramIsBytesAndNoNameThatManyReferTo) {
  MadePlane plane("/host:metadata");
  const auto proto = plane.StatName("Hlo Proto");
  const auto name = plane.StatName(Message().Sub(1, Message().Text(1, "m")).bytes());
  plane.Name("jit_f(1)", {Message().Number(1, proto).Number(7, name)});
  EXPECT_TRUE(HloProtos(*Bounded(plane).trace).empty());
  MadePlane honest("/host:metadata");
  honest.Name("jit_f(1)", {Message().Number(1, honest.StatName("Hlo Proto")).Text(6, "x")});
  EXPECT_EQ(HloProtos(*Bounded(honest).trace).size(), 1U);
}

TEST(BoundsTest, NumbersThatAreNoneHaveAPlaceInTheOrder) {
  MadePlane core("/device:TPU:0");
  const auto program = core.StatName("program_id");
  const auto symbol = core.StatName("symbol_id");
  const auto flops = core.StatName("flops");
  std::vector<Message> events;
  for (std::uint64_t i = 0; i < 100; ++i) {
    const double none = i % 3 == 0 ? std::numeric_limits<double>::quiet_NaN()
                                   : std::numeric_limits<double>::infinity();
    const Message told = Message().Number(1, flops).Double(2, i % 2 == 0 ? none : 5);
    events.push_back(MadeEvent(
        core.Name("op." + std::to_string(i), {NumberStat(program, 1), NumberStat(symbol, i), told}),
        i, 1));
  }
  core.Line(MadeLine("XLA Ops", events));
  ToolOptions options;
  options.by_flops = true;
  const Json ops = Bounded(core).Run("hlo_stats", options)["ops"];
  ASSERT_EQ(ops.size(), 100U);
  EXPECT_EQ(ops[0]["name"], "op.1");
  EXPECT_EQ(ops[99]["name"], "op.98");
}

TEST(BoundsTest, PlacesBeyond32BitsAreWrittenAsTheyAre) {
  MadePlane core("/device:TPU:2147483647");
  core.Line(MadeLine("t", {MadeEvent(core.Name("e"), 0, 1), MadeEvent(1, 30'000'000'000, 1)}));
  const std::string bytes =
      Message().Sub(1, Message(core.message()).Number(1, ~0ULL >> 1U)).bytes();
  const Bounded made(bytes);
  ToolOptions options;
  options.to_ms = 1e-9;
  options.resolution = 1'000'000;
  std::string text;
  EXPECT_TRUE(WriteChromeTrace(*made.trace, options, [&](std::string_view piece) -> Status {
    text += piece;
    return {};
  }));
  EXPECT_NE(text.find("\"pid\":2147484648"), std::string::npos) << text;
  EXPECT_TRUE(RunTool(*made.trace, "hlo_stats", {}));
}

}  // namespace
}  // namespace mlprof::server::xspace
