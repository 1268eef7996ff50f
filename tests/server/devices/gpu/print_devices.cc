// print-devices [LIBRARY]: what mlprof reads of this machine's GPUs, as JSON, for tests that hold
// it against another reader of the same library. Exit status 1 with the error where there are none.
#include <iostream>

#include "common/json/json.h"
#include "server/devices/nvml/nvml_reader.h"

namespace {

using namespace mlprof;                   // NOLINT(google-build-using-namespace)
using namespace mlprof::server::devices;  // NOLINT(google-build-using-namespace)

template <class T>
void Put(Json& json, const char* key, const std::optional<T>& value) {
  if (value) json[key] = *value;
}
void Put(Json& json, const char* key, const std::optional<Bytes>& value) {
  if (value) json[key] = value->count();
}

Json Encode(const Device& device, const DeviceReading& reading) {
  Json json = {{"uuid", device.uuid},
               {"name", device.name},
               {"pci", device.pci},
               {"card", device.card},
               {"missing", reading.missing}};
  Put(json, "memoryTotal", reading.memory_total);
  Put(json, "memoryUsed", reading.memory_used);
  Put(json, "memoryReserved", reading.memory_reserved);
  Put(json, "busy", reading.busy);
  Put(json, "memoryBusy", reading.memory_busy);
  Put(json, "watts", reading.watts);
  Put(json, "joules", reading.joules);
  Put(json, "smMhz", reading.sm_mhz);
  Put(json, "memoryMhz", reading.memory_mhz);
  Put(json, "celsius", reading.celsius);
  if (!reading.processes) return json;
  json["processes"] = Json::object();
  for (const DeviceProcess& process : *reading.processes) {
    json["processes"][std::to_string(process.pid)] =
        process.memory ? Json(process.memory->count()) : Json(nullptr);
  }
  return json;
}

int Complain(const DeviceError& error) {
  std::cout << Json{{"what", error.what}, {"remedy", error.remedy}}.dump() << "\n";
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  server::nvml::NvmlReader reader(argc > 1 ? argv[1] : server::nvml::kLibraryName);
  const auto devices = reader.List();
  if (!devices) return Complain(devices.error());
  Json all = Json::array();
  for (const Device& device : *devices) {
    const auto reading = reader.Read(device.uuid);
    if (!reading) return Complain(reading.error());
    all.push_back(Encode(device, *reading));
  }
  std::cout << all.dump() << "\n";
}
