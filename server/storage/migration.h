// One step of the schema, as migrations/ holds it.
#pragma once

#include <span>
#include <string>

namespace mlprof::server {

struct Migration {
  int version;       // from 1, without gaps
  const char* name;  // "workspaces"
  const char* sql;
};

/// The ones this program was built with, in order.
std::span<const Migration> EmbeddedMigrations();
/// Hex SHA-256 of the text.
std::string ChecksumOf(const Migration& migration);

}  // namespace mlprof::server
