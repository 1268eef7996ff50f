// A transaction that rolls back unless it was committed. Belongs to its connection's thread.
#pragma once

#include <utility>

#include "server/storage/connection.h"

namespace mlprof::server {

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

}  // namespace mlprof::server
