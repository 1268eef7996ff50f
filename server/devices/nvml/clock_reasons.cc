#include "server/devices/nvml/clock_reasons.h"

#include <array>

namespace mlprof::server::nvml {
namespace {

struct Reason {
  unsigned long long bit;
  const char* name;
};

constexpr std::array<Reason, 5> kReasons{{{0x4, "swPowerCap"},
                                          {0x8, "hwSlowdown"},
                                          {0x20, "swThermalSlowdown"},
                                          {0x40, "hwThermalSlowdown"},
                                          {0x80, "hwPowerBrakeSlowdown"}}};

}  // namespace

std::vector<std::string> ClockReasons(unsigned long long bits) {
  std::vector<std::string> names;
  for (const Reason& reason : kReasons) {
    if ((bits & reason.bit) != 0) names.emplace_back(reason.name);
  }
  return names;
}

}  // namespace mlprof::server::nvml
