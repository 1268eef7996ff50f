#include "common/agent_protocol/frame.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "common/agent_protocol/codec.h"

namespace mlprof::agent_protocol {
namespace {

void Feed(FrameDecoder& decoder, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto space = decoder.Space();
    const std::size_t n = std::min(space.size(), bytes.size());
    std::memcpy(space.data(), bytes.data(), n);
    decoder.Commit(n);
    bytes.remove_prefix(n);
  }
}

std::string Header(std::uint32_t length, FrameType type) {
  std::string header(kFrameHeaderBytes, '\0');
  std::memcpy(header.data(), &length, sizeof(length));
  header[4] = static_cast<char>(type);
  return header;
}

TEST(FrameDecoderTest, FindsFramesSplitAtEveryByte) {
  std::string stream;
  Append(stream, Row{1, false, "first"});
  Append(stream, Stop{});
  Append(stream, Row{2, true, ""});
  for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
    FrameDecoder decoder(Sender::kController);
    std::vector<FrameType> seen;
    for (const auto& part : {stream.substr(0, cut), stream.substr(cut)}) {
      Feed(decoder, part);
      for (auto frame = decoder.Next(); frame && *frame; frame = decoder.Next()) {
        seen.push_back((*frame)->type);
      }
    }
    EXPECT_EQ(seen, (std::vector{FrameType::kRow, FrameType::kStop, FrameType::kRow})) << cut;
  }
}

TEST(FrameDecoderTest, AnAnnouncedLengthAllocatesNothing) {
  FrameDecoder decoder(Sender::kController);
  Feed(decoder, Header(kMaxRowBody, FrameType::kRow));
  ASSERT_TRUE(decoder.Next());
  EXPECT_FALSE(decoder.Next()->has_value());
  decoder.Space();
  EXPECT_LE(decoder.capacity(), 128u << 10);
}

TEST(FrameDecoderTest, ALargeRowComesThroughAndItsMemoryIsGivenBack) {
  FrameDecoder decoder(Sender::kController);
  std::string stream;
  Append(stream, Row{1, false, std::string(5u << 20, 'r')});
  Feed(decoder, stream);
  const auto frame = decoder.Next();
  ASSERT_TRUE(frame && *frame);
  EXPECT_EQ(DecodeRow((*frame)->payload)->body.size(), 5u << 20);
  EXPECT_LE(decoder.capacity(), 2 * stream.size());
  decoder.Space();
  EXPECT_LE(decoder.capacity(), 64u << 10);
}

TEST(FrameDecoderTest, RefusesALengthAboveTheTypesLimit) {
  for (int type = 1; type <= 8; ++type) {
    for (const Sender sender : {Sender::kAgent, Sender::kController}) {
      const auto frame_type = static_cast<FrameType>(type);
      FrameDecoder decoder(sender);
      const std::size_t limit = MaxPayload(sender, frame_type);
      Feed(decoder, Header(static_cast<std::uint32_t>(limit + 1), frame_type));
      EXPECT_FALSE(decoder.Next()) << type;
    }
  }
}

TEST(FrameDecoderTest, RefusesATypeTheSenderNeverSends) {
  FrameDecoder from_agent(Sender::kAgent);
  Feed(from_agent, Header(0, FrameType::kRow));
  EXPECT_FALSE(from_agent.Next());
  FrameDecoder from_controller(Sender::kController);
  Feed(from_controller, Header(0, FrameType::kResponse));
  EXPECT_FALSE(from_controller.Next());
  for (const int type : {0, 9, 255}) {
    FrameDecoder decoder(Sender::kAgent);
    Feed(decoder, Header(0, static_cast<FrameType>(type)));
    EXPECT_FALSE(decoder.Next()) << type;
  }
}

}  // namespace
}  // namespace mlprof::agent_protocol
