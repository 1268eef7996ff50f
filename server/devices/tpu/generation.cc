#include "server/devices/tpu/generation.h"

#include <array>

namespace mlprof::server::tpu {
namespace {

struct Row {
  const char* device;
  const char* subsystem;  // nullptr: any
  Generation generation;
};

// Ids and memory as tpu-info has them; that of v2 and v3 stands there by the core. In the types
// TensorCores are counted, two a chip, since v4 although frameworks see one.
constexpr std::array<Row, 7> kRows = {{
    {"0x0027", "0x004e", {"v2", 2, GiB(16), ChipFiles::kAccel, "v2", true}},
    {"0x0027", "0x004f", {"v3", 2, GiB(32), ChipFiles::kAccel, "v3", true}},
    {"0x005e", nullptr, {"v4", 1, GiB(32), ChipFiles::kAccel, "v4", true}},
    {"0x0063", nullptr, {"v5e", 1, GiB(16), ChipFiles::kVfio, "v5litepod", false}},
    {"0x0062", nullptr, {"v5p", 1, GiB(95), ChipFiles::kVfio, "v5p", true}},
    {"0x006f", nullptr, {"v6e", 1, GiB(32), ChipFiles::kVfio, "v6e", false}},
    {"0x0076", nullptr, {"7x", 2, GiB(192), ChipFiles::kVfio, "tpu7x", true}},
}};

}  // namespace

const Generation* FindGeneration(const std::string& device, const std::string& subsystem) {
  for (const Row& row : kRows) {
    if (device == row.device && (row.subsystem == nullptr || subsystem == row.subsystem)) {
      return &row.generation;
    }
  }
  return nullptr;
}

const Generation* GenerationNamed(const std::string& name) {
  for (const Row& row : kRows) {
    if (name == row.generation.name) return &row.generation;
  }
  return nullptr;
}

std::string AcceleratorTypeText(const Generation& generation, int chips) {
  const int number = generation.type_counts_cores ? 2 * chips : chips;
  return std::string(generation.type) + "-" + std::to_string(number);
}

}  // namespace mlprof::server::tpu
