#include "server/runtime/docker/disk/disk_space.h"

#include <sys/statvfs.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "common/units/size_text.h"

namespace mlprof::server::docker {
namespace {

// What a fast disk (5 GB/s) takes between two looks of the watch, which come five times a second.
constexpr Bytes kMostKept = GiB(1);
// Likewise of files: 100,000 a second.
constexpr std::int64_t kMostFilesKept = 20'000;
constexpr int kShareKept = 10;  // of a small disk: a tenth
// A volume with a fiftieth left counts as full: a model that found no room there has died and given
// some back by the time of the look. Chosen, not measured.
constexpr int kNearlyFullShare = 50;

Error TooLittle(const std::filesystem::path& disk, const std::string& free,
                const std::string& needed) {
  return Error(ErrorCode::kResourceExhausted, "the disk of " + disk.string() + " has " + free +
                                                  " free and " + needed +
                                                  " are needed; remove what is not needed there");
}

}  // namespace

Result<DiskSpace> SpaceAt(const std::filesystem::path& path) {
  struct statvfs found {};
  if (::statvfs(path.c_str(), &found) != 0) {
    return Fail(FromErrno(errno, "cannot see the disk of " + path.string()));
  }
  const auto bytes = [&](fsblkcnt_t blocks) {
    return Bytes(static_cast<std::int64_t>(blocks * found.f_frsize));
  };
  return DiskSpace{bytes(found.f_blocks), bytes(found.f_bavail),
                   static_cast<std::int64_t>(found.f_files),
                   static_cast<std::int64_t>(found.f_favail)};
}

Bytes KeptFree(const DiskSpace& space) {
  return std::min(kMostKept, Bytes(space.total.count() / kShareKept));
}

std::int64_t KeptFreeFiles(const DiskSpace& space) {
  return std::min(kMostFilesKept, space.files / kShareKept);
}

std::optional<DiskFull> Shortage(const std::filesystem::path& path, const DiskSpace& space) {
  DiskFull full;
  full.place = DiskFull::Place::kHost;
  full.host_folder = path.string();
  full.bytes = space.available;
  full.files = space.files_left;
  if (space.available < KeptFree(space)) return full;
  full.unit = DiskFull::Unit::kFiles;
  if (space.files > 0 && space.files_left < KeptFreeFiles(space)) return full;
  return std::nullopt;
}

std::optional<DiskFull> NearlyFull(const DiskSpace& space) {
  DiskFull full;
  full.bytes = space.total;
  full.files = space.files;
  if (space.available.count() <= space.total.count() / kNearlyFullShare) return full;
  full.unit = DiskFull::Unit::kFiles;
  if (space.files > 0 && space.files_left <= space.files / kNearlyFullShare) return full;
  return std::nullopt;
}

Status AdmitByDisk(const std::vector<std::filesystem::path>& disks, const DiskNeed& extra,
                   const SpaceProbe& probe) {
  for (const auto& disk : disks) {
    const Result<DiskSpace> space = probe(disk);
    if (!space) continue;
    const Bytes kept = KeptFree(*space);
    const Bytes needed = kept + kept + extra.bytes;
    if (space->available < needed) {
      return Fail(TooLittle(disk, SizeText(space->available), SizeText(needed)));
    }
    const std::int64_t files = 2 * KeptFreeFiles(*space) + extra.files;
    if (space->files > 0 && space->files_left < files) {
      return Fail(
          TooLittle(disk, std::to_string(space->files_left) + " files", std::to_string(files)));
    }
  }
  return {};
}

}  // namespace mlprof::server::docker
