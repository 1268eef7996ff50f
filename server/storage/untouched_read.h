// Reading a database of which nothing is known yet, so that it stays as it is.
#pragma once

#include <filesystem>
#include <functional>

#include "common/result/result.h"
#include "server/storage/connection.h"

namespace mlprof::server {

/// Runs `read` on a read-only connection, and leaves no -wal or -shm behind that was not there. The
/// caller holds the data directory's lock; the file is there and not empty.
Status ReadUntouched(const std::filesystem::path& file,
                     const std::function<Status(Connection&)>& read);

/// Not there, or without a byte.
bool IsEmptyOrMissing(const std::filesystem::path& file);

}  // namespace mlprof::server
