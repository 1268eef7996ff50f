// A prepared statement. Errors of preparing and binding are kept and come out of Step or Run, so
// that calls chain. Belongs to its connection's thread; must go before its connection.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/result/result.h"
#include "common/time/timestamp.h"
#include "server/storage/connection.h"

struct sqlite3_stmt;

namespace mlprof::server {

class Statement {
 public:
  /// `sql` is one statement, a literal, with named parameters (":name").
  Statement(Connection& connection, const char* sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& Bind(const char* parameter, std::int64_t value);
  Statement& Bind(const char* parameter, std::string_view text);
  Statement& Bind(const char* parameter, Timestamp when);  // as …_unix_ms
  Statement& BindBlob(const char* parameter, std::string_view bytes);

  /// True when there is a row to read, false at the end.
  Result<bool> Step();
  /// To the end; rows are dropped.
  Status Run();
  /// Back to the start, keeping what is bound.
  void Reset();

  // Columns of the current row, from 0.
  std::int64_t Int(int column) const;
  std::string Text(int column) const;  // blobs too
  std::size_t Size(int column) const;  // of it, in bytes
  Timestamp Time(int column) const;

 private:
  int IndexOf(const char* parameter);
  Statement& Note(int code);

  Connection& connection_;
  sqlite3_stmt* statement_ = nullptr;
  std::optional<Error> error_;
};

}  // namespace mlprof::server
