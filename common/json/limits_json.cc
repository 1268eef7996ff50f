#include "common/json/limits_json.h"

namespace mlprof {

Json EncodeDeviceMemory(const DeviceMemory& memory) {
  return {{"memoryInGb", memory.each.gib()},
          {"memoryInBytes", memory.each.count()},
          {"count", memory.count}};
}

DeviceMemory ReadDeviceMemory(JsonReader& reader) {
  return {Bytes(reader.BigInteger("memoryInBytes").value_or(0)),
          reader.Integer("count").value_or(1)};
}

Json EncodeLimits(const Limits& limits) {
  Json json = {{"cpu", limits.cpu().value()}, {"memoryInBytes", limits.memory().count()}};
  if (const auto device = limits.device_memory()) json["device"] = EncodeDeviceMemory(*device);
  return json;
}

Limits ReadLimits(JsonReader& reader) {
  Limits limits{Cores(reader.Number("cpu").value_or(0)),
                Bytes(reader.BigInteger("memoryInBytes").value_or(0))};
  if (auto device = reader.Object("device")) limits.Set(ReadDeviceMemory(*device));
  return limits;
}

}  // namespace mlprof
