// Content that no row of the database refers to, kept for a while in case the database is what is
// wrong: an older one may have been restored, or a row lost.
//
//   quarantine/2026-08-02T10-11-12Z/content/abcd…   what a start found, under its digest
//   quarantine/2026-08-02T10-11-12Z/trees/abcd…/
//
// Moved there and back by rename, under the content store's lock.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "common/result/result.h"
#include "common/time/timestamp.h"
#include "common/units/bytes.h"

namespace mlprof::server {

struct QuarantineLimits {
  /// A week: long enough to notice that an older database was restored (docs/decisions, 21).
  std::chrono::hours kept{7 * 24};
  /// Not even a full disk makes it go before: who restored a wrong database notices within a day.
  std::chrono::hours kept_at_least{24};
  /// Over this, or where less than this share of the disk is free, the oldest goes.
  Bytes size = GiB(16);
  double free_share = 0.1;
};

class Quarantine {
 public:
  explicit Quarantine(const std::filesystem::path& data_directory);

  /// A folder for what is found at `now`, which is not there yet.
  std::filesystem::path NewBatch(Timestamp now) const;
  /// The files with this digest for a name, newest first. Whether it is theirs has to be seen.
  Result<std::vector<std::filesystem::path>> Find(const std::string& sha256) const;
  /// Has `remove` do away with each batch that has been kept long enough, and logs it. What this
  /// class did not name stays. Without the lock, as it reads whole batches.
  Status Prune(Timestamp now, const QuarantineLimits& limits,
               const std::function<Status(const std::filesystem::path& batch)>& remove);

 private:
  Result<std::vector<std::filesystem::path>> OldestFirst() const;

  const std::filesystem::path root_;
};

/// Of all files below a folder, or of a file.
Bytes SizeOfTree(const std::filesystem::path& path);

}  // namespace mlprof::server
