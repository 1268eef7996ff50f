// The directory of a zip archive, and its entries' bytes. Pure over RandomBytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/result/result.h"
#include "server/analysis/model_files/random_bytes.h"

namespace mlprof::server {

struct ZipEntry {
  std::string name;
  bool deflated = false;  // else stored as it is
  std::uint64_t packed = 0;
  std::uint64_t size = 0;    // unpacked
  std::uint64_t header = 0;  // where its local head stands
};

/// kInvalidArgument where the archive is cut, damaged, encrypted or compressed in another way.
Result<std::vector<ZipEntry>> ReadZipDirectory(RandomBytes& bytes);

/// The first `most` bytes of an entry, unpacked; all of them where it is smaller.
Result<std::string> ReadZipEntry(RandomBytes& bytes, const ZipEntry& entry, std::uint64_t most);

}  // namespace mlprof::server
