// A bound of what a container may write to disk, and that it met it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/units/bytes.h"

namespace mlprof {

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

/// "512 MiB", "9.8 GiB".
std::string SizeText(Bytes bytes);

}  // namespace mlprof
