// Whether a -wal is whole. SQLite reads one as far as its checksums hold and forgets the rest,
// which is right for the transaction a power failure cut off, and wrong for those that were
// committed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "common/result/result.h"

namespace mlprof::server {

struct WalBreak {
  std::uint64_t at = 0;  // the bytes before it are good
  /// Commits behind it. One may have been cut off before anybody was told of it; each commit is on
  /// the disk before the next one begins, so of two the first was told of.
  int commits = 0;
};

/// Nothing for a -wal that is whole, empty or not there.
Result<std::optional<WalBreak>> FindWalBreak(const std::filesystem::path& wal);

/// kInternal, with what to do, where the -wal of a database lost what was committed; logs where it
/// may have.
Status CheckWal(const std::filesystem::path& database);

}  // namespace mlprof::server
