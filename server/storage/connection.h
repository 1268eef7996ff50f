// One SQLite connection, set up as this project needs it. Used by one thread at a time. Only the
// .cc files of server/storage see sqlite3.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>

#include "common/result/result.h"

struct sqlite3;

namespace mlprof {

enum class Access {
  kReadWrite,  // creates the file; WAL, synchronous=FULL; there is exactly one of these
  kReadOnly,
  kImmutable,  // read-only and without looking for a -wal: leaves no file behind
};

class Connection {
 public:
  static Result<std::unique_ptr<Connection>> Open(const std::filesystem::path& file, Access access);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Runs statements without parameters.
  Status Execute(const char* sql);
  /// Rows changed by the last INSERT, UPDATE or DELETE.
  std::int64_t Changes() const;
  std::int64_t LastInsertId() const;

  /// What a failed call means to our callers. Remembers a failed fsync or a damaged file.
  Error ErrorOf(int code, std::string_view what);
  /// After a failed fsync nothing is known of what reached the disk: write no more.
  bool broken() const { return broken_; }

  sqlite3* handle() const { return handle_; }

 private:
  explicit Connection(sqlite3* handle) : handle_(handle) {}
  Status SetUp(Access access);

  sqlite3* handle_;
  bool broken_ = false;
};

}  // namespace mlprof
