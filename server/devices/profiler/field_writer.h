// The fields of a protobuf message, written one after the other, without its schema. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mlprof::server::profiler {

class FieldWriter {
 public:
  /// Of the types uint32, uint64, bool and enum.
  void Number(std::uint32_t field, std::uint64_t value);
  void Double(std::uint32_t field, double value);
  /// A text, bytes, or a message that was written before.
  void Bytes(std::uint32_t field, std::string_view bytes);

  const std::string& message() const { return message_; }

 private:
  void Varint(std::uint64_t value);

  std::string message_;
};

}  // namespace mlprof::server::profiler
