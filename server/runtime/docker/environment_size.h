// What an installed environment takes when it is copied.
#pragma once

#include <cstdint>
#include <filesystem>

#include "common/result/result.h"
#include "common/time/patience.h"
#include "common/units/bytes.h"

namespace mlprof::docker {

struct EnvironmentSize {
  Bytes bytes;             // in whole blocks of a disk; holes count in full
  std::int64_t files = 0;  // and folders and links
};

/// Of what lies below `environment`. kTooLarge where it holds more than `limit`, or more files than
/// a volume of that size.
Result<EnvironmentSize> SizeOfEnvironment(const std::filesystem::path& environment, Bytes limit,
                                          const Patience& patience);

}  // namespace mlprof::docker
