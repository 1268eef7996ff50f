#include "server/storage/database.h"

#include "common/log/log.h"
#include "server/storage/connection.h"
#include "server/storage/integrity_check.h"
#include "server/storage/migration.h"
#include "server/storage/wal_check.h"

namespace mlprof::server {
namespace {

// More readers than this at once are served too; only this many are kept.
constexpr std::size_t kIdleReaders = 4;
// The longest check in the background, which holds nothing up: in this time a slow disk (100 MB/s)
// reads a terabyte.
constexpr std::chrono::hours kLongestCheck{3};

// Checks the file without changing it. The report is complete and without a finding where there is
// no file yet.
Result<IntegrityReport> Inspect(const std::filesystem::path& file, const DatabaseOptions& options) {
  IntegrityReport report{.complete = true, .findings = {}};
  if (IsEmptyOrMissing(file)) return report;
  // A -journal shows that the process ended while it made the file: opening it for writing rolls
  // that back, and the check follows after.
  if (!IsEmptyOrMissing(file.string() + "-journal")) return IntegrityReport{};
  if (Status wal = CheckWal(file); !wal) return Fail(wal.error());
  const Status read = ReadUntouched(file, [&](Connection& connection) -> Status {
    if (Status schema = CheckSchema(connection, options.migrations); !schema) {
      if (connection.trouble() != Trouble::kDamage) return schema;
      report.findings.push_back("it cannot be read as a database of mlprof");
      return {};
    }
    auto checked = CheckIntegrity(connection, Deadline::After(options.check_time));
    // A check that cannot be made at all: the schema may be what is damaged.
    if (!checked && checked.error().code() == ErrorCode::kInternal) {
      return Fail(Internal(checked.error().message() + ". " + RestoreAdvice(file)));
    }
    if (!checked) return Fail(checked.error());
    report = std::move(*checked);
    return {};
  });
  if (!read) return Fail(read.error().WithContext(file.string()));
  return report;
}

// All or nothing: what is not sound afterwards stays as it was.
Status RepairIndexes(Connection& writer, const std::filesystem::path& file) {
  MLPROF_LET(transaction, Transaction::BeginWrite(writer));
  MLPROF_TRY(writer.Execute("REINDEX"));
  MLPROF_LET(report, CheckIntegrity(writer, Deadline::After(kLongestCheck)));
  if (!report.findings.empty()) return Fail(DamagedDatabase(file, report));
  MLPROF_TRY(transaction.Commit());
  LogWarn("damaged indexes were made anew", {{"database", file.string()}});
  return {};
}

}  // namespace

Result<std::unique_ptr<Database>> Database::Open(const std::filesystem::path& file,
                                                 const DatabaseOptions& options) {
  MLPROF_LET(report, Inspect(file, options));
  const bool damaged = !report.findings.empty();
  if (damaged && !(options.repair_indexes && report.OnlyIndexes())) {
    return Fail(DamagedDatabase(file, report));
  }
  MLPROF_LET(writer, Connection::Open(file, Access::kReadWrite));
  if (Status schema = CheckSchema(*writer, options.migrations); !schema) {
    return Fail(schema.error().WithContext(file.string()));
  }
  if (damaged) MLPROF_TRY(RepairIndexes(*writer, file));
  if (Status status = Migrate(*writer, options.migrations); !status) {
    return Fail(status.error().WithContext(file.string()));
  }
  std::unique_ptr<Database> database(new Database(file, std::move(writer)));
  database->checked_ = report.complete || damaged;
  return database;
}

Database::~Database() {
  // The writer goes last: only it can fold the -wal back into the database.
  idle_readers_.clear();
  writer_.reset();
}

Status Database::Health() const {
  if (damaged_ || writer_->trouble() == Trouble::kDamage) {
    return Fail(Internal("the database " + file_.string() +
                         " is damaged and takes no more writes; stop the server. " +
                         RestoreAdvice(file_)));
  }
  if (writer_->trouble() == Trouble::kDisk) {
    return Fail(
        Internal("the database stopped taking writes after a disk error; look into the kernel's "
                 "log, then restart the server, which recovers what was committed"));
  }
  return {};
}

Status Database::FinishCheck(const std::stop_token& stop) {
  if (checked_) return {};
  MLPROF_LET(reader, Connection::Open(file_, Access::kReadOnly));
  MLPROF_LET(report, CheckIntegrity(*reader, Deadline::After(kLongestCheck), stop));
  if (!report.findings.empty()) {
    damaged_ = true;
    return Fail(Health().error().WithContext(report.findings.front()));
  }
  if (stop.stop_requested()) return Fail(Cancelled("the check of the database was stopped"));
  if (!report.complete) return Fail(DeadlineExceeded("the check of the database took too long"));
  checked_ = true;
  return {};
}

Result<std::unique_ptr<Connection>> Database::Lend() {
  {
    const std::scoped_lock lock(readers_mutex_);
    if (!idle_readers_.empty()) {
      auto reader = std::move(idle_readers_.back());
      idle_readers_.pop_back();
      return reader;
    }
  }
  return Connection::Open(file_, Access::kReadOnly);
}

void Database::GiveBack(std::unique_ptr<Connection> reader) {
  if (reader->trouble() != Trouble::kNone) {
    damaged_ = true;
    return;
  }
  const std::scoped_lock lock(readers_mutex_);
  if (idle_readers_.size() < kIdleReaders) idle_readers_.push_back(std::move(reader));
}

}  // namespace mlprof::server
