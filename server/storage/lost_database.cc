#include "server/storage/lost_database.h"

#include <filesystem>
#include <string>

#include "server/storage/integrity_check.h"
#include "server/storage/untouched_read.h"

namespace mlprof::server {
namespace {

namespace fs = std::filesystem;

bool HoldsContent(const fs::path& directory) {
  std::error_code error;
  for (fs::recursive_directory_iterator entry(directory / "content", error), end;
       !error && entry != end; entry.increment(error)) {
    std::error_code gone;
    if (entry->is_regular_file(gone)) return true;
  }
  return false;
}

}  // namespace

Status RefuseLostDatabase(const DataDirectory& directory) {
  const fs::path file = directory.DatabaseFile();
  if (!IsEmptyOrMissing(file)) return {};
  // SQLite would remove a -wal whose database is empty, and with it perhaps the only copy.
  const bool has_wal = !IsEmptyOrMissing(file.string() + "-wal");
  if (!has_wal && !HoldsContent(directory.path())) return {};
  return Fail(Internal("the database " + file.string() +
                       " is missing or empty, but the data directory holds what was stored with "
                       "it. Nothing was changed. " +
                       RestoreAdvice(file) + " To begin anew, use another --data-dir."));
}

}  // namespace mlprof::server
