// How much is left on a disk, how much of it is kept free, and whether it is enough to begin.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "common/domain/write_error.h"
#include "common/result/result.h"
#include "common/units/bytes.h"

namespace mlprof::server::docker {

struct DiskSpace {
  Bytes total;
  Bytes available;              // to everybody: not what the file system keeps for root
  std::int64_t files = 0;       // 0: this file system does not bound their number
  std::int64_t files_left = 0;  // likewise
};

/// Of the file system that holds `path`.
Result<DiskSpace> SpaceAt(const std::filesystem::path& path);
/// SpaceAt, or what tests put in its place.
using SpaceProbe = std::function<Result<DiskSpace>(const std::filesystem::path& path)>;

/// What a container must leave free: as much as a fast disk takes between two looks at it, at most
/// a tenth of a small disk.
Bytes KeptFree(const DiskSpace& space);
std::int64_t KeptFreeFiles(const DiskSpace& space);

/// What is short where less than the kept is left.
std::optional<DiskFull> Shortage(const std::filesystem::path& path, const DiskSpace& space);

/// What is full, as a whole, where a fiftieth or less is left: who finds no room dies of it and
/// gives some back at once.
std::optional<DiskFull> NearlyFull(const DiskSpace& space);

/// What is about to be written.
struct DiskNeed {
  DiskNeed(Bytes size, std::int64_t number = 0) : bytes(size), files(number) {}
  Bytes bytes;
  std::int64_t files;
};

/// kResourceExhausted, saying what is free, needed and where, unless each disk has `extra` and
/// twice what is kept free: what begins must not be ended at once. A disk that cannot be seen is
/// passed over.
Status AdmitByDisk(const std::vector<std::filesystem::path>& disks, const DiskNeed& extra,
                   const SpaceProbe& probe = SpaceAt);

}  // namespace mlprof::server::docker
