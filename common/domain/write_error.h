// Why a write of a model's failed: the file system is mounted read-only (EROFS), or a bound of what
// the container may write was met (ENOSPC); with the words that tell of it. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/units/bytes.h"

namespace mlprof {

/// A write that the kernel refused because the file system is mounted read-only (EROFS).
struct RefusedWrite {
  std::string path;  // inside the container, absolute, links resolved
  /// What would have to be writable for it; "": no folder below / would do.
  std::string folder;
  bool operator==(const RefusedWrite&) const = default;
};

/// A bound of what a container may write to disk, and that it met it.
struct DiskFull {
  enum class Place {
    kScratch,
    kHost,
    kToldByLog,  // nobody saw it, but its log says that there was no space; both bounds are given
  };
  enum class Unit { kBytes, kFiles };
  Place place = Place::kScratch;
  Unit unit = Unit::kBytes;
  bool killed = false;      // the container was ended for it; else its writes fail
  Bytes bytes;              // the bound itself; kHost: what was left
  std::int64_t files = 0;   // likewise
  std::string host_folder;  // kHost: a folder of the disk that was running full
  bool operator==(const DiskFull&) const = default;
};

/// "its writable folders (/tmp, HOME, writablePaths) were full: 10 GiB is …": a clause whose "it"
/// is the container. `folders` are those it may write to.
std::string Clause(const DiskFull& full, std::string_view folders = "/tmp, HOME, writablePaths");

/// Whether a log says that something could not be written for want of space or files.
bool MentionsFullDisk(std::string_view log);

}  // namespace mlprof
