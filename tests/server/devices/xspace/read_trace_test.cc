#include "server/devices/xspace/read_trace.h"

#include <gtest/gtest.h>

#include "server/devices/xspace/planes.h"
#include "server/devices/xspace/stat_of.h"
#include "tests/server/devices/xspace/made_trace.h"

namespace mlprof::server::xspace {
namespace {

TEST(ReadTraceTest, EventsHaveTheirTimeNamesAndStats) {
  MadePlane plane("/host:CPU");
  const auto name = plane.Name("work");
  const auto size = plane.StatName("size");
  Message line = MadeLine("thread", {MadeEvent(name, 5, 7, {NumberStat(size, 42)})});
  line.Number(3, 1000);
  plane.Line(line);
  const std::string bytes = Message().Sub(1, plane.message()).Text(4, "box").bytes();
  const auto trace = ReadTrace(bytes);
  ASSERT_TRUE(trace) << trace.error().message();
  ASSERT_EQ(trace->EventCount(), 1U);
  const Plane& read = trace->planes[0];
  const Event& event = read.lines[0].events[0];
  EXPECT_EQ(event.start_ps, 6'000'000);
  EXPECT_EQ(event.duration_ps, 7'000'000);
  EXPECT_EQ(read.Of(event).name, "work");
  EXPECT_EQ(StatOf(read, "size").WholeOf(event), 42U);
  EXPECT_EQ(trace->hostnames.at(0), "box");
}

TEST(ReadTraceTest, AStatMayReferToANameOfThePlane) {
  MadePlane plane("/host:CPU");
  const auto op = plane.StatName("tf_op");
  const auto add = plane.StatName("add");
  const auto name = plane.Name("e", {Message().Number(1, op).Number(7, add)});
  plane.Line(MadeLine("t", {MadeEvent(name, 0, 1)}));
  const std::string bytes = Message().Sub(1, plane.message()).bytes();
  const auto trace = ReadTrace(bytes);
  ASSERT_TRUE(trace);
  const Plane& read = trace->planes[0];
  EXPECT_EQ(StatOf(read, "tf_op").TextOf(read.lines[0].events[0]), "add");
}

TEST(ReadTraceTest, AnEventsOwnStatCountsBeforeTheOneItShares) {
  MadePlane plane("/host:CPU");
  const auto size = plane.StatName("size");
  const auto name = plane.Name("e", {NumberStat(99, 5), NumberStat(size, 1)});
  plane.Line(MadeLine("t", {MadeEvent(name, 0, 1), MadeEvent(name, 2, 1, {NumberStat(size, 2)})}));
  const std::string bytes = Message().Sub(1, plane.message()).bytes();
  const auto trace = ReadTrace(bytes);
  ASSERT_TRUE(trace);
  const Plane& read = trace->planes[0];
  const StatOf stat(read, "size");
  EXPECT_EQ(stat.WholeOf(read.lines[0].events[0]), 1U);
  EXPECT_EQ(stat.WholeOf(read.lines[0].events[1]), 2U);
  EXPECT_FALSE(StatOf(read, "other").Of(read.lines[0].events[1]));
}

TEST(ReadTraceTest, MoreStatsThanAProfilerWritesAreRefused) {
  const auto read = [](std::size_t of_event, std::size_t of_name) {
    MadePlane plane("/host:CPU");
    const auto stat = NumberStat(plane.StatName("s"), 1);
    const auto name = plane.Name("e", std::vector<Message>(of_name, stat));
    plane.Line(MadeLine("t", {MadeEvent(name, 0, 1, std::vector<Message>(of_event, stat))}));
    const std::string bytes = Message().Sub(1, plane.message()).bytes();
    const auto trace = ReadTrace(bytes);
    return trace ? std::string() : trace.error().message();
  };
  EXPECT_EQ(read(1'000, 4'096), "");
  EXPECT_NE(read(1'001, 0).find("an event in it has more stats"), std::string::npos);
  EXPECT_NE(read(0, 4'097).find("a name in it has more stats"), std::string::npos);
}

TEST(ReadTraceTest, NamesMayStandBehindTheLinesThatUseThem) {
  Message line = MadeLine("t", {MadeEvent(1, 0, 1)});
  Message named = Message().Number(1, 1).Sub(2, Message().Number(1, 1).Text(2, "late"));
  const std::string bytes =
      Message().Sub(1, Message().Text(2, "/host:CPU").Sub(3, line).Sub(4, named)).bytes();
  const auto trace = ReadTrace(bytes);
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->planes[0].Of(trace->planes[0].lines[0].events[0]).name, "late");
}

TEST(ReadTraceTest, TimesOfDayBecomeTimesSinceTheFirstLine) {
  MadePlane plane("/host:CPU");
  const auto name = plane.Name("e");
  const std::uint64_t noon = 1'790'000'000'000'000'000;
  plane.Line(MadeLine("a", {MadeEvent(name, 1, 1)}).Number(3, noon));
  plane.Line(MadeLine("b", {MadeEvent(name, 1, 1)}).Number(3, noon + 2'000));
  const std::string bytes = Message().Sub(1, plane.message()).bytes();
  const auto trace = ReadTrace(bytes);
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->planes[0].lines[0].events[0].start_ps, 1'000'000);
  EXPECT_EQ(trace->planes[0].lines[1].events[0].start_ps, 3'000'000);
}

TEST(ReadTraceTest, ANameThatIsNoUtf8IsReadAsItIs) {
  MadePlane plane("/host:CPU");
  plane.Line(MadeLine("t", {MadeEvent(plane.Name("\xff\xfe"), 0, 1)}));
  const std::string bytes = Message().Sub(1, plane.message()).bytes();
  const auto trace = ReadTrace(bytes);
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->planes[0].metadata[0].name, "\xff\xfe");
}

TEST(ReadTraceTest, WhatIsNoTraceIsToldApart) {
  const auto said = [](const std::string& bytes) {
    const auto trace = ReadTrace(bytes);
    return trace ? std::string("read") : trace.error().message();
  };
  EXPECT_NE(said("").find("empty"), std::string::npos);
  EXPECT_NE(said("{\"traceEvents\":[]}").find("no XSpace"), std::string::npos);
  EXPECT_NE(said(Message().Text(4, "box").bytes()).find("nothing was recorded"), std::string::npos);
  const std::string whole = FixtureBytes("tpu_synth_flow.xplane.pb");
  EXPECT_NE(said(whole.substr(0, whole.size() - 5)).find("cut or damaged"), std::string::npos);
}

TEST(ReadTraceTest, ATraceBeyondItsLimitsIsTooLarge) {
  const std::string whole = FixtureBytes("tpu_synth_flow.xplane.pb");
  EXPECT_EQ(ReadTrace(whole, {.file = KiB(1)}).error().code(), ErrorCode::kTooLarge);
  EXPECT_EQ(ReadTrace(whole, {.events = 100}).error().code(), ErrorCode::kTooLarge);
  EXPECT_EQ(ReadTrace(whole, {.parts = 10}).error().code(), ErrorCode::kTooLarge);
}

TEST(PlanesTest, DevicesAreKnownByTheirNames) {
  Plane plane;
  plane.name = "/device:TPU:3";
  EXPECT_EQ(TensorCoreOf(plane), 3);
  plane.name = "/device:TPU:0 SparseCore 1";
  EXPECT_FALSE(TensorCoreOf(plane));
  plane.name = "/device:GPU:1";
  EXPECT_EQ(GpuOf(plane), 1);
}

}  // namespace
}  // namespace mlprof::server::xspace
