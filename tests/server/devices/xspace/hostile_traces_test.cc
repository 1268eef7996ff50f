// Traces come from anybody: cut anywhere, changed anywhere, and made to be slow or large.
#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <set>

#include "server/devices/xspace/id_map.h"
#include "server/devices/xspace/read_trace.h"
#include "server/devices/xspace/tools.h"
#include "tests/server/devices/xspace/made_trace.h"

namespace mlprof::server::xspace {
namespace {

// Every tool ends, whatever it is given.
void ExpectSane(const std::string& bytes) {
  const auto trace = ReadTrace(bytes);
  if (!trace) {
    EXPECT_LE(trace.error().message().size(), 300U);
    return;
  }
  ToolOptions options;
  options.resolution = 100;
  for (const std::string& tool : ToolNames()) {
    if (tool == "trace_viewer") continue;
    const auto json = RunTool(*trace, tool, options);
    EXPECT_TRUE(!json || !DumpJson(*json).empty()) << tool;
  }
  std::size_t written = 0;
  EXPECT_TRUE(WriteChromeTrace(*trace, options, [&](std::string_view piece) -> Status {
    written += piece.size();
    return {};
  }));
  EXPECT_GT(written, 0U);
}

TEST(HostileTracesTest, CutFilesEndInAnError) {
  const std::string whole = FixtureBytes("tpu_synth_flow.xplane.pb");
  ASSERT_FALSE(whole.empty());
  for (std::size_t length = 1; length < whole.size(); length += 37) {
    ExpectSane(whole.substr(0, length));
  }
}

TEST(HostileTracesTest, ChangedBytesAreReadWithinBounds) {
  std::mt19937 random(20261126);
  for (const std::string name : {"tpu_synth_flow.xplane.pb", "jax_cpu.xplane.pb"}) {
    const std::string whole = FixtureBytes(name);
    ASSERT_FALSE(whole.empty());
    const int tries = name == "jax_cpu.xplane.pb" ? 25 : 600;
    for (int i = 0; i < tries; ++i) {
      std::string changed = whole;
      for (int changes = 1 + static_cast<int>(random() % 6); changes > 0; --changes) {
        const std::size_t at = random() % changed.size();
        switch (random() % 4) {
          case 0: changed[at] = static_cast<char>(random()); break;
          case 1: changed[at] = '\xff'; break;
          case 2: changed.erase(at, 1 + random() % 8); break;
          default: changed[at] = '\0'; break;
        }
      }
      ExpectSane(changed);
    }
  }
}

TEST(HostileTracesTest, NumbersAtTheirEndsDoNotOverflow) {
  for (const std::uint64_t number :
       {~0ULL, 1ULL << 63U, (1ULL << 63U) - 1, 36'000'000'000'000'000ULL}) {
    MadePlane plane("/device:TPU:0");
    const auto offset = plane.StatName("device_offset_ps");
    const auto duration = plane.StatName("device_duration_ps");
    const auto program = plane.StatName("program_id");
    const auto symbol = plane.StatName("symbol_id");
    const auto flops = plane.StatName("flops");
    const auto name = plane.Name(
        "op", {NumberStat(program, 1), NumberStat(symbol, number), NumberStat(flops, number)});
    std::vector<Message> events;
    for (int i = 0; i < 3; ++i) {
      events.push_back(
          MadeEvent(name, 1, 1, {NumberStat(offset, number), NumberStat(duration, number)}));
    }
    plane.Line(MadeLine("XLA Ops", events).Number(3, number));
    plane.Line(MadeLine("Steps", events));
    plane.Line(
        MadeLine("XLA Modules", {Message().Number(1, name).Number(2, number).Number(3, number)}));
    ExpectSane(Message().Sub(1, plane.message()).bytes());
  }
}

TEST(HostileTracesTest, IdsThatAreChosenToFallIntoOneBucketDoNot) {
  constexpr std::int64_t kBuckets = 1'447'153;  // a size that the standard library takes
  constexpr std::int64_t kIds = 10'000;
  std::set<std::size_t> taken;
  for (std::int64_t i = 0; i < kIds; ++i) taken.insert(IdHash{}(i * kBuckets) % kBuckets);
  EXPECT_GT(taken.size(), 9'900U);
}

TEST(HostileTracesTest, AFusionThatHoldsItselfEnds) {
  Message shared =
      Message().Number(1, 1).Text(2, "f").Sub(5, NumberStat(1, 1)).Sub(5, NumberStat(2, 1));
  for (int i = 0; i < 2000; ++i) shared.Number(6, 1);
  MadePlane plane("/device:TPU:0");
  plane.StatName("program_id");
  plane.StatName("symbol_id");
  Message message = plane.message();
  message.Sub(4, Message().Number(1, 1).Sub(2, shared));
  message.Sub(3, MadeLine("XLA Ops", {MadeEvent(1, 0, 1)}));
  const auto start = std::chrono::steady_clock::now();
  ExpectSane(Message().Sub(1, message).bytes());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

TEST(HostileTracesTest, MillionsOfEmptyEventsAreRefusedBeforeTheyTakeTheMemory) {
  std::string events;
  for (int i = 0; i < 200'000; ++i) events += std::string("\x22\x00", 2);
  Message plane;
  plane.Text(2, "/host:CPU").Text(3, events);
  const std::string bytes = Message().Sub(1, plane).bytes();
  const auto trace = ReadTrace(bytes, {.events = 100'000});
  ASSERT_FALSE(trace);
  EXPECT_EQ(trace.error().code(), ErrorCode::kTooLarge);
}

}  // namespace
}  // namespace mlprof::server::xspace
