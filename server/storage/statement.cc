#include "server/storage/statement.h"

#include <sqlite3.h>

namespace mlprof::server {

Statement::Statement(Connection& connection, const char* sql) : connection_(connection) {
  Note(sqlite3_prepare_v2(connection.handle(), sql, -1, &statement_, nullptr));
}

Statement::~Statement() { sqlite3_finalize(statement_); }

Statement& Statement::Note(int code) {
  if (code != SQLITE_OK && !error_) error_ = connection_.ErrorOf(code, "database");
  return *this;
}

int Statement::IndexOf(const char* parameter) {
  const int index = sqlite3_bind_parameter_index(statement_, parameter);
  if (index == 0 && !error_) {
    error_ = Internal("the statement has no parameter " + std::string(parameter));
  }
  return index;
}

Statement& Statement::Bind(const char* parameter, std::int64_t value) {
  const int index = IndexOf(parameter);
  return index == 0 ? *this : Note(sqlite3_bind_int64(statement_, index, value));
}

Statement& Statement::Bind(const char* parameter, std::string_view text) {
  const int index = IndexOf(parameter);
  // A null pointer would bind NULL, and an empty view may hold one.
  const char* data = text.data() ? text.data() : "";
  return index == 0 ? *this
                    : Note(sqlite3_bind_text64(statement_, index, data, text.size(),
                                               SQLITE_TRANSIENT, SQLITE_UTF8));
}

Statement& Statement::Bind(const char* parameter, Timestamp when) {
  return Bind(parameter, static_cast<std::int64_t>(when.time_since_epoch().count()));
}

Statement& Statement::BindBlob(const char* parameter, std::string_view bytes) {
  const int index = IndexOf(parameter);
  const char* data = bytes.data() ? bytes.data() : "";
  return index == 0
             ? *this
             : Note(sqlite3_bind_blob64(statement_, index, data, bytes.size(), SQLITE_TRANSIENT));
}

Result<bool> Statement::Step() {
  if (error_) return Fail(*error_);
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return Fail(connection_.ErrorOf(code, "database"));
}

Status Statement::Run() {
  for (;;) {
    const Result<bool> row = Step();
    if (!row) return Fail(row.error());
    if (!*row) return {};
  }
}

void Statement::Reset() { sqlite3_reset(statement_); }

std::int64_t Statement::Int(int column) const { return sqlite3_column_int64(statement_, column); }

std::string Statement::Text(int column) const {
  // Text or blob first, size second: the order SQLite asks for.
  const void* data = sqlite3_column_blob(statement_, column);
  const int size = sqlite3_column_bytes(statement_, column);
  return data ? std::string(static_cast<const char*>(data), static_cast<std::size_t>(size)) : "";
}

std::size_t Statement::Size(int column) const {
  return static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
}

Timestamp Statement::Time(int column) const {
  return Timestamp(std::chrono::milliseconds(Int(column)));
}

}  // namespace mlprof::server
