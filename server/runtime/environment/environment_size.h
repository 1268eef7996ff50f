// What an installed environment takes when it is copied.
#pragma once

#include <cstdint>
#include <filesystem>

#include "common/result/result.h"
#include "common/time/deadline.h"
#include "common/units/bytes.h"

namespace mlprof::server::environment {

struct EnvironmentSize {
  Bytes bytes;             // in whole blocks of a disk; holes count in full
  std::int64_t files = 0;  // and folders and links
};

/// Of what lies below `folder`. kTooLarge where it holds more than `most`, of bytes or of files.
Result<EnvironmentSize> SizeOfEnvironment(const std::filesystem::path& folder,
                                          const EnvironmentSize& most, const Patience& patience);

}  // namespace mlprof::server::environment
