// Which data directory this is: `instance.json` in it says whose containers it may remove, and to
// which place and machine that belongs. Its presence marks a folder as a data directory of ours.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "common/result/result.h"

namespace mlprof::server {

class Database;

struct InstanceRecord {
  std::string instance;  // the id its containers are labelled with; "" until the database is there
  std::string machine;   // /etc/machine-id; "" where there is none
  std::string path;      // of the directory, canonical
  bool operator==(const InstanceRecord&) const = default;
};

inline constexpr const char* kInstanceFile = "instance.json";

/// nullopt where the folder has none; an error where it cannot be read.
Result<std::optional<InstanceRecord>> ReadInstanceRecord(const std::filesystem::path& directory);
/// Whole or not at all.
Status WriteInstanceRecord(const std::filesystem::path& directory, const InstanceRecord& record);

/// How a directory came to where it is found.
enum class Whereabouts {
  kInPlace,
  kMoved,         // its former place holds it no longer: its containers are still its own
  kCopied,        // the original is still there, and so are its containers
  kOtherMachine,  // its containers stayed on the former one
};

/// `original_lives`: at the place in `record` there is another directory of the same instance.
/// Pure.
Whereabouts WhereaboutsOf(const InstanceRecord& record, const InstanceRecord& here,
                          bool original_lives);

struct Instance {
  std::string id;
  Whereabouts whereabouts = Whereabouts::kInPlace;
  std::string former_path;
};

/// The id that labels the containers of this directory, a new one where it is a copy or has come to
/// another machine: whoever shared one would remove the other's containers. Remembers where it is.
/// The caller holds the directory's lock.
Result<Instance> SettleInstance(Database& database, const std::filesystem::path& directory,
                                const std::string& machine);

/// Of /etc/machine-id; "" where it has none (containers).
std::string MachineId();

}  // namespace mlprof::server
