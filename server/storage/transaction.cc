#include "server/storage/transaction.h"

namespace mlprof::server {

Result<Transaction> Transaction::BeginWrite(Connection& connection) {
  return Begin(connection, "BEGIN IMMEDIATE");
}

Result<Transaction> Transaction::BeginRead(Connection& connection) {
  return Begin(connection, "BEGIN");
}

Result<Transaction> Transaction::Begin(Connection& connection, const char* sql) {
  MLPROF_TRY(connection.Execute(sql));
  return Transaction(connection);
}

Transaction::~Transaction() {
  // A ROLLBACK that fails has nothing left to roll back.
  if (connection_) static_cast<void>(connection_->Execute("ROLLBACK"));
}

Status Transaction::Commit() {
  MLPROF_TRY(connection_->Execute("COMMIT"));
  connection_ = nullptr;
  return {};
}

}  // namespace mlprof::server
