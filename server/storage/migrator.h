// Brings a database to this program's schema, or says why it cannot.
#pragma once

#include <span>

#include "common/result/result.h"
#include "server/storage/connection.h"
#include "server/storage/migration.h"

namespace mlprof::server {

/// Reads what the database says of itself, and writes nothing. kInternal, with what to do, for a
/// newer schema, a changed migration, or a database that is none of ours.
Status CheckSchema(Connection& connection, std::span<const Migration> known);

/// Applies what is missing, each migration in its own transaction.
Status Migrate(Connection& writer, std::span<const Migration> known);

}  // namespace mlprof::server
