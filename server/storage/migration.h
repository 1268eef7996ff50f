// The steps of the schema, as migrations/ holds them, and what brings a database to the newest one
// or says why it cannot.
#pragma once

#include <span>
#include <string>

#include "common/result/result.h"
#include "server/storage/connection.h"

namespace mlprof::server {

/// One step of the schema.
struct Migration {
  int version;       // from 1, without gaps
  const char* name;  // "workspaces"
  const char* sql;
};

/// The ones this program was built with, in order.
std::span<const Migration> EmbeddedMigrations();
/// Hex SHA-256 of the text.
std::string ChecksumOf(const Migration& migration);

/// Reads what the database says of itself, and writes nothing. kInternal, with what to do, for a
/// newer schema, a changed migration, or a database that is none of ours.
Status CheckSchema(Connection& connection, std::span<const Migration> known);

/// Applies what is missing, each migration in its own transaction.
Status Migrate(Connection& writer, std::span<const Migration> known);

}  // namespace mlprof::server
