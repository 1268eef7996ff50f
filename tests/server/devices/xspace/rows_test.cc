// A trace asked about the rows that were replayed while it was taken.
#include <gtest/gtest.h>

#include <map>

#include "server/devices/xspace/restricted_trace.h"
#include "tests/server/devices/xspace/recorded_rows.h"

namespace mlprof::server::xspace {
namespace {

TEST(RestrictedTraceTest, HoldsWhatLiesWithinTheSpansFromBeginningToEnd) {
  const Recorded recorded(HostTrace());
  RestrictedTrace restricted(recorded.trace);
  const auto starts = [&](std::vector<Span> spans) {
    std::vector<std::int64_t> out;
    for (const Event& event : restricted.To(std::move(spans), {}).planes[0].lines[0].events) {
      out.push_back(event.start_ps / kPsOfUs);
    }
    return out;
  };
  using Starts = std::vector<std::int64_t>;
  EXPECT_EQ(starts({SpanOfUs(20, 70)}), (Starts{50}));  // dot.1 began before
  EXPECT_EQ(starts({SpanOfUs(10, 45), SpanOfUs(40, 60)}), (Starts{10, 50}));
  EXPECT_EQ(starts({SpanOfUs(100, 150)}), Starts{});  // dot.1 goes on
  EXPECT_EQ(starts({SpanOfUs(100, 190), SpanOfUs(5, 15)}), (Starts{110}));
  EXPECT_EQ(starts({SpanOfUs(0, 300)}), (Starts{0, 10, 50, 110}));  // the loop too
  EXPECT_EQ(starts({}), Starts{});
  EXPECT_EQ(restricted.To({SpanOfUs(10, 45), SpanOfUs(40, 60)}, {}).part_ps, 50 * kPsOfUs);
}

TEST(RestrictedTraceTest, AMomentBelongsToTheSpanThatItLiesIn) {
  MadePlane host("/host:CPU");
  const auto name = host.Name("mark");
  host.Line(MadeLine("thread", {MadeEvent(name, 10, 0), MadeEvent(name, 20, 0)}));
  const std::string bytes = Message().Sub(1, host.message()).bytes();
  const Trace trace = *ReadTrace(bytes);
  RestrictedTrace restricted(trace);
  EXPECT_EQ(restricted.To({SpanOfUs(10, 20)}, {}).EventCount(), 1U);
  EXPECT_EQ(restricted.To({SpanOfUs(10, 15), SpanOfUs(20, 30)}, {}).EventCount(), 2U);
}

// Two cores; on the first a loop of 80 us around an addition of 30 us, told by the device's own
// clock too; the second did nothing at all.
std::string CoreTrace() {
  MadePlane core("/device:TPU:0");
  const auto program = core.StatName("program_id");
  const auto symbol = core.StatName("symbol_id");
  const auto category = core.StatName("hlo_category");
  const auto flops = core.StatName("flops");
  const auto offset = core.StatName("device_offset_ps");
  const auto duration = core.StatName("device_duration_ps");
  const auto facts = [&](std::uint64_t id, const std::string& what) {
    return std::vector<Message>{NumberStat(program, 7), NumberStat(symbol, id),
                                TextStat(category, what), NumberStat(flops, 6'000)};
  };
  const auto clock = [&](std::uint64_t start_us, std::uint64_t for_us) {
    return std::vector<Message>{NumberStat(offset, start_us * 1'000'000),
                                NumberStat(duration, for_us * 1'000'000)};
  };
  const auto loop = core.Name("%while", facts(1, "while"), "while.1");
  const auto add = core.Name("%add = f32[10]{0} add(%a, %b)", facts(2, "add"), "add.2");
  core.Line(MadeLine("XLA Ops",
                     {MadeEvent(loop, 0, 80, clock(0, 80)), MadeEvent(add, 20, 30, clock(20, 30)),
                      MadeEvent(add, 55, 10, clock(55, 10))}));
  MadePlane idle("/device:TPU:1");
  idle.Line(MadeLine("XLA Ops", {}));
  MadePlane environment("Task Environment");
  environment.Stat(NumberStat(environment.StatName("profile_start_time"), kStartNs));
  return Message()
      .Sub(1, core.message())
      .Sub(1, idle.message())
      .Sub(1, environment.message())
      .bytes();
}

TEST(RestrictedTraceTest, OfADeviceEachWholeOperationCountsOnceByTheTimeOfTheRow) {
  Recorded recorded(CoreTrace(), {At(4, 10, 60)});
  recorded.options.row = 4;
  const Json stats = *recorded.Run("hlo_stats");
  ASSERT_EQ(stats["ops"].size(), 1U);  // the loop is more than the row; one addition crosses it
  EXPECT_EQ(stats["ops"][0]["name"], "add.2");
  EXPECT_EQ(stats["ops"][0]["occurrences"].get<double>(), 1);
  EXPECT_NEAR(stats["ops"][0]["selfTimeInUs"].get<double>(), 30, 1e-9);
  EXPECT_NEAR(stats["totalTimeInUs"].get<double>(), 50, 1e-9);  // of one core: the other was idle
  EXPECT_NEAR(stats["idlePercent"].get<double>(), 40, 1e-6);
  EXPECT_NEAR((*recorded.Run("overview_page"))["device"]["dutyCyclePercent"].get<double>(), 60,
              1e-6);
  EXPECT_NEAR((*recorded.Run("rows"))["rows"][0]["opTimePercent"].get<double>(), 60, 1e-6);
}

TEST(RestrictedTraceTest, ARowWithoutAnOperationIsIdleForAllOfItsTime) {
  Recorded recorded(HostTrace(), {At(4, 5, 65), At(9, 200, 250)});
  recorded.options.row = 9;
  const Json stats = *recorded.Run("hlo_stats");
  EXPECT_NEAR(stats["totalTimeInUs"].get<double>(), 50, 1e-9);
  EXPECT_NEAR(stats["idlePercent"].get<double>(), 100, 1e-9);
}

TEST(RowsToolTest, TellsWhatTheSlowestRowsSpentTheirTimeOn) {
  const Recorded recorded(HostTrace());
  const auto document = recorded.Run("rows");
  ASSERT_TRUE(document);
  EXPECT_EQ((*document)["visitCount"], 2);
  EXPECT_EQ((*document)["rowCount"], 2);
  const Json& slowest = (*document)["rows"][0];
  EXPECT_EQ(slowest["row"], 9);
  EXPECT_NEAR(slowest["latencyInMs"].get<double>(), 0.1, 1e-9);
  EXPECT_NEAR(slowest["opTimePercent"].get<double>(), 80, 1e-6);
  EXPECT_EQ(slowest["topOps"][0]["name"], "dot.1");
  EXPECT_NEAR(slowest["topOps"][0]["selfTimePercent"].get<double>(), 80, 1e-6);
  const Json& other = (*document)["rows"][1];
  EXPECT_EQ(other["row"], 4);
  EXPECT_EQ(other["topOps"].size(), 2U);
  EXPECT_NEAR(other["topOps"][0]["selfTimePercent"].get<double>(), 50, 1e-6);  // 30 of 60 us
  EXPECT_NEAR(other["topOps"][1]["selfTimeInMs"].get<double>(), 0.010, 1e-9);
}

TEST(RowsToolTest, FiguresAreMeansOverTheVisitsOfARow) {
  // Once with 80 of 100 us in dot.1, once with nothing in 20 us.
  const Recorded recorded(HostTrace(), {At(9, 100, 200), At(9, 220, 240)});
  const Json row = (*recorded.Run("rows"))["rows"][0];
  EXPECT_EQ(row["visits"], 2);
  EXPECT_NEAR(row["latencyInMs"].get<double>(), 0.060, 1e-9);
  EXPECT_NEAR(row["slowestInMs"].get<double>(), 0.100, 1e-9);
  EXPECT_NEAR(row["opTimeInMs"].get<double>(), 0.040, 1e-9);
  EXPECT_NEAR(row["opTimePercent"].get<double>(), 100.0 * 80 / 120, 1e-6);
  EXPECT_NEAR(row["topOps"][0]["occurrences"].get<double>(), 0.5, 1e-9);
}

TEST(RowsToolTest, RowsThatOverlapAreToldToHaveOthersBesideThem) {
  RowTime failed = At(3, 0, 100);
  failed.succeeded = false;
  const Recorded recorded(HostTrace(), {At(1, 0, 100), At(2, 50, 150), failed});
  const Json rows = (*recorded.Run("rows"))["rows"];
  EXPECT_NEAR(rows[0]["othersInFlight"].get<double>(), 1.5, 1e-9);
  EXPECT_NEAR(rows[1]["othersInFlight"].get<double>(), 1.0, 1e-9);
}

TEST(RowsToolTest, VisitsOfARowThatOverlapShareItsTime) {
  // From 100 to 200 us one visit or two at a time, 80 us of it in dot.1.
  const Recorded recorded(HostTrace(), {At(9, 100, 180), At(9, 120, 200)});
  const Json row = (*recorded.Run("rows"))["rows"][0];
  EXPECT_NEAR(row["opTimePercent"].get<double>(), 80, 1e-6);
  EXPECT_NEAR(row["opTimeInMs"].get<double>(), 0.8 * 0.080, 1e-9);
}

TEST(RowsToolTest, AnyToolCanBeAskedAboutARowAlone) {
  Recorded recorded(HostTrace());
  recorded.options.row = 4;
  const Json stats = *recorded.Run("hlo_stats");
  ASSERT_EQ(stats["ops"].size(), 2U);
  EXPECT_NEAR(stats["ops"][0]["selfTimeInUs"].get<double>(), 30, 1e-9);
  EXPECT_NEAR(stats["totalTimeInUs"].get<double>(), 60, 1e-9);  // the row's, not the operations'
  EXPECT_NEAR(stats["idlePercent"].get<double>(), 100.0 * 20 / 60, 1e-6);
  recorded.options.row = std::nullopt;
  recorded.options.slowest_percent = 1;
  EXPECT_EQ((*recorded.Run("hlo_stats"))["ops"].size(), 1U);  // of row 9 alone
  EXPECT_EQ((*recorded.Run("rows"))["rows"].size(), 1U);
}

TEST(RowsToolTest, EveryToolTakesAPartOfATrace) {
  for (const char* fixture : {"jax_cpu.xplane.pb", "tpu_synth_flow.xplane.pb"}) {
    const std::string bytes = FixtureBytes(fixture);
    ASSERT_FALSE(bytes.empty());
    const Trace trace = *ReadTrace(bytes);
    RowVisits visits;
    visits.visits = {{3, {trace.LastPs() / 4, trace.LastPs() / 2}}};
    ToolOptions options;
    options.rows = &visits;
    options.row = 3;
    for (const std::string& tool : ToolNames()) {
      if (tool == "trace_viewer") continue;
      EXPECT_TRUE(RunTool(trace, tool, options)) << tool;
    }
  }
}

TEST(RowsToolTest, SaysThatARowWasNotRecordedAndThatATraceHasNone) {
  Recorded recorded(HostTrace());
  recorded.options.row = 5;
  const auto unknown = recorded.Run("hlo_stats");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code(), ErrorCode::kNotFound);
  EXPECT_NE(unknown.error().message().find("4, 9"), std::string::npos);
  recorded.options.rows = nullptr;
  EXPECT_EQ(recorded.Run("hlo_stats").error().code(), ErrorCode::kConflict);
  recorded.options.row = std::nullopt;
  EXPECT_EQ(recorded.Run("rows").error().code(), ErrorCode::kConflict);
  EXPECT_TRUE(recorded.Run("hlo_stats"));
}

std::map<std::string, int> LanesOfRows(const Recorded& recorded) {
  std::string text;
  EXPECT_TRUE(WriteChromeTrace(recorded.trace, recorded.options, [&](std::string_view piece) {
    text += piece;
    return Status();
  }));
  const Json document = *ParseJson(text);
  std::map<std::string, int> lanes;
  for (const Json& event : document["traceEvents"]) {
    const std::string name = event.value("name", "");
    if (name.starts_with("row ")) lanes[name] = event["tid"].get<int>();
  }
  return lanes;
}

TEST(RowsToolTest, ChromesTraceHasTheRowsAsATrackOfTheirOwn) {
  using Lanes = std::map<std::string, int>;
  Recorded recorded(HostTrace(), {At(1, 0, 100), At(2, 50, 150), At(3, 160, 200)});
  EXPECT_EQ(LanesOfRows(recorded), (Lanes{{"row 1", 1}, {"row 2", 2}, {"row 3", 1}}));
  recorded.options.row = 2;
  EXPECT_EQ(LanesOfRows(recorded), (Lanes{{"row 2", 1}}));
  recorded.options.row = std::nullopt;
  recorded.options.rows = nullptr;
  EXPECT_EQ(LanesOfRows(recorded), Lanes{});
}

TEST(RowsToolTest, EndsWithItsTime) {
  Recorded recorded(HostTrace());
  recorded.options.time = TimeLimit([] { return true; });
  EXPECT_EQ(recorded.Run("rows").error().code(), ErrorCode::kDeadlineExceeded);
}

}  // namespace
}  // namespace mlprof::server::xspace
