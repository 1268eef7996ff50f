// The messages of ProfilerService and of gRPC, byte by byte.
#include <gtest/gtest.h>

#include <map>

#include "server/devices/profiler/field_writer.h"
#include "server/devices/profiler/grpc_message.h"
#include "server/devices/profiler/profile_messages.h"
#include "server/devices/profiler/profiler_address.h"
#include "server/devices/xspace/wire.h"

namespace mlprof::server::profiler {
namespace {

struct ReadFields {
  std::map<std::uint32_t, std::uint64_t> numbers;
  std::map<std::uint32_t, std::string> texts;
};

ReadFields FieldsOf(std::string_view message) {
  ReadFields read;
  xspace::FieldReader reader(message);
  for (xspace::Field field; reader.Next(field);) {
    if (field.IsNumber()) read.numbers[field.number] = field.value;
    if (field.IsBytes()) read.texts[field.number] = field.bytes;
  }
  EXPECT_TRUE(reader.ok());
  return read;
}

TEST(FieldWriterTest, WritesWhatTheWireFormatSays) {
  FieldWriter writer;
  writer.Number(1, 150);  // the example of protobuf's own documentation
  writer.Bytes(2, "testing");
  EXPECT_EQ(writer.message(), std::string("\x08\x96\x01\x12\x07testing"));
}

TEST(ProfileRequestTest, AsksForTheTraceItselfAtLevelsThatRecord) {
  const std::string message =
      Encode({std::chrono::milliseconds(1500), "/tmp/traces", "s1", "box_9012"});
  const ReadFields request = FieldsOf(message);
  EXPECT_EQ(request.numbers.at(1), 1500U);
  EXPECT_EQ(request.numbers.at(9), 1U);  // emit_xspace
  EXPECT_EQ(request.texts.at(5), "/tmp/traces");
  EXPECT_EQ(request.texts.at(6), "s1");
  EXPECT_EQ(request.texts.at(7), "box_9012");
  const ReadFields options = FieldsOf(request.texts.at(4));
  EXPECT_EQ(options.numbers.at(9), 1500U);  // the time that counts
  EXPECT_EQ(options.numbers.at(5), 1U);     // without it the levels do not count
  EXPECT_EQ(options.numbers.at(2), 2U);
  EXPECT_EQ(options.numbers.at(3), 1U);
}

TEST(ProfileResponseTest, HoldsTheTraceOrSaysThatNothingRan) {
  FieldWriter sent;
  sent.Bytes(8, "tra");
  sent.Bytes(8, "ce");
  const auto trace = ReadProfileResponse(sent.message());
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->trace, (std::vector<std::string_view>{"tra", "ce"}));
  EXPECT_FALSE(trace->nothing_ran);

  FieldWriter empty;
  empty.Number(7, 1);
  EXPECT_TRUE(ReadProfileResponse(empty.message())->nothing_ran);
  EXPECT_TRUE(ReadProfileResponse("")->trace.empty());
}

TEST(ProfileResponseTest, TakesTheTraceOutOfTheFilesOfOlderServers) {
  FieldWriter page;
  page.Bytes(1, "overview_page.pb");
  page.Bytes(2, "a page");
  FieldWriter file;
  file.Bytes(1, "box.xplane.pb");
  file.Bytes(2, "trace");
  FieldWriter sent;
  sent.Bytes(6, page.message());
  sent.Bytes(6, file.message());
  EXPECT_EQ(ReadProfileResponse(sent.message())->trace, std::vector<std::string_view>{"trace"});
}

TEST(ProfileResponseTest, IsRefusedWhereItIsDamaged) {
  FieldWriter sent;
  sent.Bytes(8, "trace");
  const std::string whole = sent.message();
  EXPECT_FALSE(ReadProfileResponse(std::string_view(whole).substr(0, whole.size() - 1)));
  FieldWriter within;
  within.Bytes(6, "\xff");
  EXPECT_FALSE(ReadProfileResponse(within.message()));
}

TEST(GrpcMessageTest, IsReadWhereverItsPiecesAreCut) {
  const std::string framed = FrameMessage("trace");
  ASSERT_EQ(framed, std::string("\0\0\0\0\5trace", 10));
  for (std::size_t cut = 0; cut <= framed.size(); ++cut) {
    std::string got;
    GrpcMessage message(MiB(1), [&](std::string_view piece) -> Status {
      got += piece;
      return {};
    });
    ASSERT_TRUE(message.Take(framed.substr(0, cut)));
    EXPECT_EQ(message.IsWhole(), cut == framed.size());
    ASSERT_TRUE(message.Take(framed.substr(cut)));
    EXPECT_TRUE(message.IsWhole());
    EXPECT_EQ(got, "trace");
    EXPECT_EQ(message.size(), Bytes(5));
    EXPECT_EQ(message.received(), Bytes(5));
  }
}

TEST(GrpcMessageTest, IsRefusedBeforeItIsReadWhereItIsTooLarge) {
  GrpcMessage message(Bytes(4), [](std::string_view) -> Status {
    ADD_FAILURE() << "nothing of it is to be kept";
    return {};
  });
  EXPECT_EQ(message.Take(FrameMessage("trace")).error().code(), ErrorCode::kTooLarge);
}

TEST(GrpcMessageTest, IsOneAndNotCompressed) {
  const auto drop = [](std::string_view) { return Status(); };
  GrpcMessage compressed(MiB(1), drop);
  EXPECT_FALSE(compressed.Take(std::string("\1\0\0\0\1x", 6)));
  GrpcMessage two(MiB(1), drop);
  EXPECT_FALSE(two.Take(FrameMessage("one") + FrameMessage("two")));
}

TEST(ProfilerAddressTest, IsAHostAndAPort) {
  EXPECT_EQ(ParseProfilerAddress("TPU-host.lan:9012")->Text(), "tpu-host.lan:9012");
  EXPECT_EQ(ParseProfilerAddress("[::1]:80")->host, "::1");
  EXPECT_EQ(ParseProfilerAddress("[::1]:80")->Text(), "[::1]:80");
  for (const char* wrong :
       {"", "host", "host:", ":9012", "host:0", "host:65536", "host:9x", "::1:80", "[host]:80",
        "a b:80", "user@host:80", "http://host:80", "host/x:80", "[::1:80"}) {
    EXPECT_FALSE(ParseProfilerAddress(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace mlprof::server::profiler
