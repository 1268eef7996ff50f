#include "server/storage/connection.h"

#include <sqlite3.h>

#include <string>
#include <system_error>

#include "common/hash/sha256.h"
#include "common/log/log.h"
#include "common/text/percent.h"
#include "server/storage/row_checksum.h"

namespace mlprof::server {
namespace {

std::string ImmutableUri(const std::filesystem::path& file) {
  return "file:" + PercentEncodePath(file.string()) + "?immutable=1";
}

ErrorCode CodeOf(int code) {
  switch (code & 0xff) {
    case SQLITE_FULL:
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_BUSY: return ErrorCode::kUnavailable;
    case SQLITE_TOOBIG: return ErrorCode::kTooLarge;
    case SQLITE_CONSTRAINT:
      return code == SQLITE_CONSTRAINT_FOREIGNKEY ? ErrorCode::kNotFound : ErrorCode::kConflict;
    default: return ErrorCode::kInternal;
  }
}

std::string AdviceFor(int code) {
  switch (code & 0xff) {
    case SQLITE_FULL: return "; free some space on the disk of the data directory";
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN: return "; see that the data directory can be written";
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return "; the database is damaged: stop the server, keep a copy of the data directory and "
             "restore it from a backup";
    case SQLITE_IOERR:
      return "; look into the kernel's log for disk errors, then restart the server";
    default: return "";
  }
}

Trouble TroubleOf(int code) {
  if (code == SQLITE_IOERR_FSYNC || code == SQLITE_IOERR_DIR_FSYNC) return Trouble::kDisk;
  const int kind = code & 0xff;
  return kind == SQLITE_CORRUPT || kind == SQLITE_NOTADB ? Trouble::kDamage : Trouble::kNone;
}

// As many pages as SQLite takes by default.
constexpr int kPagesBeforeCheckpoint = 1000;

}  // namespace

Result<std::unique_ptr<Connection>> Connection::Open(const std::filesystem::path& file,
                                                     Access access) {
  int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  flags |= access == Access::kReadWrite ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
                                        : SQLITE_OPEN_READONLY;
  if (access == Access::kImmutable) flags |= SQLITE_OPEN_URI;
  const std::string name = access == Access::kImmutable ? ImmutableUri(file) : file.string();
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(name.c_str(), &handle, flags, nullptr);
  std::unique_ptr<Connection> connection(new Connection(handle));
  if (code != SQLITE_OK) return Fail(connection->ErrorOf(code, "opening " + file.string()));
  if (Status set_up = connection->SetUp(access); !set_up) {
    return Fail(set_up.error().WithContext("opening " + file.string()));
  }
  return connection;
}

Connection::~Connection() { sqlite3_close_v2(handle_); }

Status Connection::SetUp(Access access) {
  sqlite3_busy_timeout(handle_, 5000);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  MLPROF_TRY(AddRowChecksum(*this));
  MLPROF_TRY(Execute("PRAGMA mmap_size=0; PRAGMA cell_size_check=ON; PRAGMA foreign_keys=ON;"));
  if (access != Access::kReadWrite) return {};
  sqlite3_wal_hook(handle_, &CheckpointAfterCommit, this);
  return Execute(
      "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA journal_size_limit=67108864;");
}

Status Connection::Execute(const char* sql) {
  const int code = sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return Fail(ErrorOf(code, "database"));
  return {};
}

std::int64_t Connection::Changes() const { return sqlite3_changes64(handle_); }
std::int64_t Connection::LastInsertId() const { return sqlite3_last_insert_rowid(handle_); }

Error Connection::ErrorOf(int code, std::string_view what) {
  NoteTrouble(code);
  disk_full_ = disk_full_ || (code & 0xff) == SQLITE_FULL;
  const char* text = handle_ ? sqlite3_errmsg(handle_) : sqlite3_errstr(code);
  return Error(CodeOf(code), std::string(what) + ": " + text + " (SQLite " + std::to_string(code) +
                                 ")" + AdviceFor(code));
}

void Connection::NoteTrouble(int code) {
  if (TroubleOf(code) == Trouble::kNone || trouble_ != Trouble::kNone) return;
  trouble_ = TroubleOf(code);
  // The -wal may hold the only good copy of pages: it stays for the next start to recover from.
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
}

// The commit stands whatever becomes of the checkpoint, so an error of the checkpoint is not given
// as the commit's.
int Connection::CheckpointAfterCommit(void* self, sqlite3* handle, const char* name, int pages) {
  auto& connection = *static_cast<Connection*>(self);
  if (pages < kPagesBeforeCheckpoint || connection.trouble_ != Trouble::kNone) return SQLITE_OK;
  const int code =
      sqlite3_wal_checkpoint_v2(handle, name, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
  const bool failed = code != SQLITE_OK && (code & 0xff) != SQLITE_BUSY;
  if (failed && !connection.checkpoint_failed_) {
    LogError("a checkpoint of the database failed",
             {{"why", connection.ErrorOf(code, "checkpoint").message()}});
  }
  connection.NoteTrouble(code);
  connection.checkpoint_failed_ = failed;
  return SQLITE_OK;
}

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

namespace fs = std::filesystem;

bool IsEmptyOrMissing(const fs::path& file) {
  std::error_code error;
  const auto size = fs::file_size(file, error);
  return error ? !fs::exists(file, error) : size == 0;
}

Status ReadUntouched(const fs::path& file, const std::function<Status(Connection&)>& read) {
  std::error_code ignored;
  const fs::path wal = file.string() + "-wal";
  const fs::path shm = file.string() + "-shm";
  // After an unclean stop the newest commits may stand in the -wal only. Reading it makes SQLite
  // create a -shm.
  const bool has_wal = !IsEmptyOrMissing(wal);
  const bool had_shm = fs::exists(shm, ignored);
  Status status;
  {
    MLPROF_LET(connection,
               Connection::Open(file, has_wal ? Access::kReadOnly : Access::kImmutable));
    status = read(*connection);
  }
  if (has_wal && !had_shm) fs::remove(shm, ignored);
  return status;
}

}  // namespace mlprof::server
