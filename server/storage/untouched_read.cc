#include "server/storage/untouched_read.h"

#include <system_error>

namespace mlprof::server {

namespace fs = std::filesystem;

bool IsEmptyOrMissing(const fs::path& file) {
  std::error_code error;
  const auto size = fs::file_size(file, error);
  return error ? !fs::exists(file, error) : size == 0;
}

Status ReadUntouched(const fs::path& file, const std::function<Status(Connection&)>& read) {
  std::error_code ignored;
  const fs::path wal = file.string() + "-wal";
  const fs::path shm = file.string() + "-shm";
  // After an unclean stop the newest commits may stand in the -wal only. Reading it makes SQLite
  // create a -shm.
  const bool has_wal = !IsEmptyOrMissing(wal);
  const bool had_shm = fs::exists(shm, ignored);
  Status status;
  {
    MLPROF_LET(connection,
               Connection::Open(file, has_wal ? Access::kReadOnly : Access::kImmutable));
    status = read(*connection);
  }
  if (has_wal && !had_shm) fs::remove(shm, ignored);
  return status;
}

}  // namespace mlprof::server
