// The headers of a tar archive's entries, decoded: ustar's block of 512 bytes, and the records of
// pax's extended header. Pure.
//
//   offset  size  field            offset  size  field
//        0   100  name                156     1  type
//      124    12  size, octal         257     8  magic: "ustar\0" "00" or GNU's "ustar  \0"
//      148     8  checksum, octal     345   155  prefix (only with "ustar\0")
//
// GNU writes sizes of 8 GiB and more in base 256, marked by the first bit.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "common/result/result.h"

namespace mlprof {

inline constexpr std::size_t kTarBlock = 512;
/// What an octal size field can hold at most.
inline constexpr std::int64_t kLargestOctalSize = 077777777777;

struct TarHeader {
  std::string name;  // prefix and name joined
  std::int64_t size = 0;
  char type = '0';
};

bool IsZeroBlock(std::span<const char, kTarBlock> block);
/// kInvalidArgument for a wrong checksum, a foreign format, a number that is none.
Result<TarHeader> DecodeTarHeader(std::span<const char, kTarBlock> block);

/// What matters of the records of a pax extended header, which are "LENGTH KEY=VALUE\n" with LENGTH
/// counting all of it; every other key but GNU's sparse ones is passed over.
struct PaxRecords {
  std::optional<std::string> path;
  std::optional<std::int64_t> size;
};

/// kInvalidArgument for damaged records, a key given twice, and sparse files.
Result<PaxRecords> DecodePaxRecords(std::string_view text);

}  // namespace mlprof
