// Headers of a tar archive: POSIX ustar, with a pax record before an entry whose path or size does
// not fit. Owner, group and time are 0, so that the same content gives the same bytes.
#pragma once

#include <cstdint>
#include <string>

namespace mlprof {

enum class TarEntryType : char { kFile = '0', kFolder = '5' };

struct TarEntry {
  std::string path;  // relative, '/' between parts, none at the end
  TarEntryType type = TarEntryType::kFile;
  bool executable = false;
  std::int64_t size = 0;  // bytes that follow; 0 for folders
};

inline constexpr std::int64_t kTarBlock = 512;

/// One or more whole blocks.
std::string TarHeader(const TarEntry& entry);
/// Zero bytes that fill the last block of `size` bytes.
std::string TarPadding(std::int64_t size);

}  // namespace mlprof
