// Whether a database is what its server wrote: SQLite's integrity_check (its quick_check does not
// compare indexes with their tables), its foreign_key_check, and the checksums of rows.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "common/result/result.h"
#include "common/time/deadline.h"
#include "server/storage/connection.h"

namespace mlprof::server {

struct IntegrityReport {
  /// False: the deadline passed, or the stop came, before all of it was read.
  bool complete = false;
  /// What is wrong, in SQLite's words or of a row; the first hundred.
  std::vector<std::string> findings;

  /// Nothing but entries that indexes lack: the tables hold all they should, and REINDEX mends it.
  bool OnlyIndexes() const;
};

/// Reads all of the database; some seconds for each GB that the page cache does not hold. Blocks
/// until the deadline at most.
Result<IntegrityReport> CheckIntegrity(Connection& connection, const Deadline& deadline,
                                       const std::stop_token& stop = {});

/// What to tell of a damaged file that was left as it is: the first findings and how to restore.
Error DamagedDatabase(const std::filesystem::path& file, const IntegrityReport& report);
/// "Keep a copy …, restore a backup …", with the commands for the directory of `file`.
std::string RestoreAdvice(const std::filesystem::path& file);

}  // namespace mlprof::server
