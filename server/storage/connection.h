// One SQLite connection, set up as this project needs it, the transactions on it, and a look at a
// database that leaves it as it is. Used by one thread at a time. Only the .cc files of
// server/storage see sqlite3.h.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "common/result/result.h"

struct sqlite3;

namespace mlprof::server {

enum class Access {
  kReadWrite,  // creates the file; WAL, synchronous=FULL; there is exactly one of these
  kReadOnly,
  kImmutable,  // read-only and without looking for a -wal: leaves no file behind
};

/// What a connection has met that no retry mends.
enum class Trouble {
  kNone,
  kDisk,    // a failed fsync: nothing is known of what reached the disk
  kDamage,  // a page that is none
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
  /// Write no more once there is any. From any thread.
  Trouble trouble() const { return trouble_; }
  /// Whether the disk was found full since this was asked last.
  bool TakeDiskFull() { return std::exchange(disk_full_, false); }

  sqlite3* handle() const { return handle_; }

 private:
  explicit Connection(sqlite3* handle) : handle_(handle) {}
  Status SetUp(Access access);
  /// What SQLite's own automatic checkpoint does, except that it forgets errors.
  static int CheckpointAfterCommit(void* self, sqlite3* handle, const char* name, int pages);
  void NoteTrouble(int code);

  sqlite3* handle_;
  std::atomic<Trouble> trouble_ = Trouble::kNone;
  bool checkpoint_failed_ = false;
  bool disk_full_ = false;
};

/// A transaction that rolls back unless it was committed. Belongs to its connection's thread.
class Transaction {
 public:
  /// BEGIN IMMEDIATE: a deferred one that turns into a writer later fails at once when it is busy.
  static Result<Transaction> BeginWrite(Connection& connection);
  /// One consistent view over several reads.
  static Result<Transaction> BeginRead(Connection& connection);

  ~Transaction();
  Transaction(Transaction&& other) noexcept
      : connection_(std::exchange(other.connection_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;

  Status Commit();

 private:
  explicit Transaction(Connection& connection) : connection_(&connection) {}
  static Result<Transaction> Begin(Connection& connection, const char* sql);

  Connection* connection_;  // null once over
};

/// Reads a database of which nothing is known yet, so that it stays as it is: runs `read` on a
/// read-only connection, and leaves no -wal or -shm behind that was not there. The caller holds the
/// data directory's lock; the file is there and not empty.
Status ReadUntouched(const std::filesystem::path& file,
                     const std::function<Status(Connection&)>& read);

/// Not there, or without a byte.
bool IsEmptyOrMissing(const std::filesystem::path& file);

}  // namespace mlprof::server
