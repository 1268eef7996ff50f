#include "common/json/device_findings_json.h"

#include <array>

#include "common/json/scalar_json.h"

namespace mlprof {
namespace {

constexpr std::array kLimits = {LimitedBy::kNothing,    LimitedBy::kSm,
                                LimitedBy::kTensorCore, LimitedBy::kMemoryBandwidth,
                                LimitedBy::kMemory,     LimitedBy::kHostCpu};
constexpr std::array kKinds = {DeviceKind::kGpu, DeviceKind::kTpu};
constexpr std::array kWays = {NeededBy::kCap, NeededBy::kGrowth, NeededBy::kAsItIs};

template <class Value, std::size_t Count>
Value Named(const std::array<Value, Count>& values, const std::string& name, Value otherwise) {
  for (const Value value : values) {
    if (Name(value) == name) return value;
  }
  return otherwise;
}

}  // namespace

Json EncodeDeviceFindings(const DeviceFindings& findings) {
  Json json = {{"type", Name(findings.kind)},
               {"neededMemoryInBytes", findings.needed.count()},
               {"reservedMemoryInBytes", findings.reserved.count()},
               {"neededBy", Name(findings.needed_by)},
               {"memoryFrom", findings.memory_from}};
  if (findings.limit) {
    json["limitedBy"] = Name(findings.limit->by);
    json["limitReason"] = findings.limit->reason;
  }
  if (findings.busy) json["utilization"] = *findings.busy;
  if (findings.memory_busy) json["memoryUtilization"] = *findings.memory_busy;
  if (findings.watts) json["powerInWatts"] = *findings.watts;
  if (!findings.missing.empty()) json["missing"] = findings.missing;
  return json;
}

std::optional<DeviceFindings> ReadDeviceFindings(JsonReader& reader) {
  const auto needed = reader.BigInteger("neededMemoryInBytes");
  if (!needed) return std::nullopt;
  DeviceFindings findings;
  findings.kind = Named(kKinds, reader.String("type").value_or(""), DeviceKind::kGpu);
  findings.needed = Bytes(*needed);
  findings.reserved = Bytes(reader.BigInteger("reservedMemoryInBytes").value_or(*needed));
  findings.needed_by = Named(kWays, reader.String("neededBy").value_or(""), NeededBy::kAsItIs);
  findings.memory_from = reader.String("memoryFrom").value_or("");
  if (const auto by = reader.String("limitedBy")) {
    findings.limit = DeviceLimit{Named(kLimits, *by, LimitedBy::kNothing),
                                 reader.String("limitReason").value_or("")};
  }
  findings.busy = reader.Number("utilization");
  findings.memory_busy = reader.Number("memoryUtilization");
  findings.watts = reader.Number("powerInWatts");
  if (reader.Has("missing")) {
    findings.missing = reader.StringMap("missing").value_or(std::map<std::string, std::string>());
  }
  return findings;
}

}  // namespace mlprof
