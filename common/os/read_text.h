#pragma once

#include <filesystem>
#include <string>

namespace mlprof {

/// A file's bytes as far as they can be read; "" where they cannot be. Never throws, as iterators
/// over a stream's buffer do where the kernel refuses a read: of /proc, because the process ended
/// meanwhile.
std::string ReadText(const std::filesystem::path& file);

}  // namespace mlprof
