#include "common/json/allocation_failure_json.h"

namespace mlprof {
namespace {

void Add(const char* key, const std::string& text, Json& json) {
  if (!text.empty()) json[key] = text;
}

void Add(const char* key, const std::optional<Bytes>& bytes, Json& json) {
  if (bytes) json[key] = bytes->count();
}

std::optional<Bytes> ReadBytes(JsonReader& reader, const char* key) {
  const auto count = reader.BigInteger(key);
  return count ? std::optional(Bytes(*count)) : std::nullopt;
}

Json EncodeBuffer(const ReportedBuffer& buffer) {
  Json json = {{"sizeInBytes", buffer.size.count()}};
  Add("operator", buffer.op, json);
  Add("shape", buffer.shape, json);
  Add("label", buffer.label, json);
  Add("kind", buffer.kind, json);
  Add("unpaddedInBytes", buffer.unpadded, json);
  return json;
}

ReportedBuffer ReadBuffer(JsonReader& reader) {
  ReportedBuffer buffer;
  buffer.size = ReadBytes(reader, "sizeInBytes").value_or(Bytes());
  Assign(buffer.op, reader.String("operator"));
  Assign(buffer.shape, reader.String("shape"));
  Assign(buffer.label, reader.String("label"));
  Assign(buffer.kind, reader.String("kind"));
  buffer.unpadded = ReadBytes(reader, "unpaddedInBytes");
  return buffer;
}

}  // namespace

Json EncodeAllocationFailure(const AllocationFailure& failure) {
  Json json = {{"runtime", Name(failure.runtime)},
               {"memory", failure.on_device ? "device" : "host"},
               {"words", failure.words}};
  Add("device", failure.device, json);
  Add("allocator", failure.allocator, json);
  Add("askedInBytes", failure.asked, json);
  Add("inUseInBytes", failure.in_use, json);
  Add("limitInBytes", failure.limit, json);
  Add("freeInBytes", failure.free, json);
  Add("reservedInBytes", failure.reserved, json);
  if (!failure.shape.empty()) json["shape"] = failure.shape;
  Add("type", failure.type, json);
  Add("operator", failure.op, json);
  Add("paddedInBytes", failure.padded, json);
  Add("unpaddedInBytes", failure.unpadded, json);
  for (const ReportedBuffer& buffer : failure.largest) {
    json["largest"].push_back(EncodeBuffer(buffer));
  }
  return json;
}

AllocationFailure ReadAllocationFailure(JsonReader& reader) {
  AllocationFailure failure;
  Assign(failure.runtime, ParseAllocatingRuntime(reader.String("runtime").value_or("")));
  failure.on_device = reader.String("memory") == "device";
  Assign(failure.words, reader.String("words"));
  Assign(failure.device, reader.String("device"));
  Assign(failure.allocator, reader.String("allocator"));
  failure.asked = ReadBytes(reader, "askedInBytes");
  failure.in_use = ReadBytes(reader, "inUseInBytes");
  failure.limit = ReadBytes(reader, "limitInBytes");
  failure.free = ReadBytes(reader, "freeInBytes");
  failure.reserved = ReadBytes(reader, "reservedInBytes");
  Assign(failure.shape, reader.BigIntegers("shape"));
  Assign(failure.type, reader.String("type"));
  Assign(failure.op, reader.String("operator"));
  failure.padded = ReadBytes(reader, "paddedInBytes");
  failure.unpadded = ReadBytes(reader, "unpaddedInBytes");
  for (JsonReader& buffer : reader.Objects("largest")) {
    failure.largest.push_back(ReadBuffer(buffer));
  }
  return failure;
}

}  // namespace mlprof
