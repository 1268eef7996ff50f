// An XSpace written by hand, field by field, so that every number in it is known; and those that
// are kept in tests/fixtures/device_traces.
#pragma once

#include <bit>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

#include "common/json/json.h"

namespace mlprof::server::xspace {

/// A protobuf message that is being written.
class Message {
 public:
  Message& Number(std::uint32_t field, std::uint64_t value) {
    Varint(field << 3U);
    Varint(value);
    return *this;
  }
  Message& Text(std::uint32_t field, const std::string& value) {
    Varint((field << 3U) | 2U);
    Varint(value.size());
    bytes_ += value;
    return *this;
  }
  Message& Sub(std::uint32_t field, const Message& value) { return Text(field, value.bytes_); }
  Message& Double(std::uint32_t field, double value) {
    Varint((field << 3U) | 1U);
    auto bits = std::bit_cast<std::uint64_t>(value);
    for (int i = 0; i < 8; ++i, bits >>= 8U) bytes_ += static_cast<char>(bits & 0xFFU);
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void Varint(std::uint64_t value) {
    for (; value >= 0x80U; value >>= 7U) bytes_ += static_cast<char>((value & 0x7FU) | 0x80U);
    bytes_ += static_cast<char>(value);
  }
  std::string bytes_;
};

inline Message NumberStat(std::uint64_t id, std::uint64_t value) {
  return Message().Number(1, id).Number(3, value);
}
inline Message TextStat(std::uint64_t id, const std::string& value) {
  return Message().Number(1, id).Text(5, value);
}

/// A plane with names for events and stats, which are 1, 2, 3… in the order they are added.
class MadePlane {
 public:
  explicit MadePlane(const std::string& name) { plane_.Text(2, name); }
  std::uint64_t Name(const std::string& name, const std::vector<Message>& stats = {},
                     const std::string& display_name = "") {
    Message shared;
    shared.Number(1, ++names_).Text(2, name);
    if (!display_name.empty()) shared.Text(4, display_name);
    for (const Message& stat : stats) shared.Sub(5, stat);
    plane_.Sub(4, Message().Number(1, names_).Sub(2, shared));
    return names_;
  }
  std::uint64_t StatName(const std::string& name) {
    ++stats_;
    plane_.Sub(5, Message().Number(1, stats_).Sub(2, Message().Number(1, stats_).Text(2, name)));
    return stats_;
  }
  void Stat(const Message& stat) { plane_.Sub(6, stat); }
  void Line(const Message& line) { plane_.Sub(3, line); }
  const Message& message() const { return plane_; }

 private:
  Message plane_;
  std::uint64_t names_ = 0;
  std::uint64_t stats_ = 0;
};

/// Microseconds, the unit of these tests.
inline Message MadeEvent(std::uint64_t name, std::uint64_t start_us, std::uint64_t duration_us,
                         const std::vector<Message>& stats = {}) {
  Message event;
  event.Number(1, name).Number(2, start_us * 1'000'000).Number(3, duration_us * 1'000'000);
  for (const Message& stat : stats) event.Sub(4, stat);
  return event;
}

inline Message MadeLine(const std::string& name, const std::vector<Message>& events) {
  Message line;
  line.Text(2, name);
  for (const Message& event : events) line.Sub(4, event);
  return line;
}

inline std::string FixtureBytes(const std::string& name) {
  std::ifstream in(std::string(MLPROF_SOURCE_DIR) + "/tests/fixtures/device_traces/" + name,
                   std::ios::binary);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

/// What another converter has made of a fixture.
inline Json Peer(const std::string& fixture, const std::string& tool) {
  const auto json = ParseJson(FixtureBytes("peer_" + fixture + "/" + tool + ".json"));
  return json ? *json : Json();
}

}  // namespace mlprof::server::xspace
