// Brings a database to this program's schema, or says why it cannot.
#pragma once

#include <filesystem>
#include <span>

#include "common/result/result.h"
#include "server/storage/connection.h"
#include "server/storage/migration.h"

namespace mlprof {

/// Reads what the file says of itself, and writes nothing: neither the file nor a -wal or -shm
/// beside it. kInternal, with what to do, for a newer schema, a changed migration, or a file that
/// is no database of ours. A file that is not there or empty is fine.
Status CheckSchema(const std::filesystem::path& file, std::span<const Migration> known);

/// Applies what is missing, each migration in its own transaction.
Status Migrate(Connection& writer, std::span<const Migration> known);

}  // namespace mlprof
