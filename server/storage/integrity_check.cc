#include "server/storage/integrity_check.h"

#include <sqlite3.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <string_view>

#include "common/os/start_thread.h"
#include "server/storage/row_checksum.h"
#include "server/storage/statement.h"

namespace mlprof::server {
namespace {

constexpr std::chrono::milliseconds kInterruptAgain{20};  // how late a stop may take effect
constexpr std::size_t kNamed = 3;                         // findings in one message

// Ends what a connection does when the deadline passes or the stop comes. SQLite 3.40 asks no
// progress handler while it walks over pages, so another thread has to interrupt it.
class Interruption {
 public:
  static Result<std::unique_ptr<Interruption>> Arm(sqlite3* handle, const Deadline& deadline,
                                                   const std::stop_token& stop) {
    std::unique_ptr<Interruption> armed(new Interruption);
    auto thread = StartThread("integrity-deadline", [self = armed.get(), handle, deadline,
                                                     stop](const std::stop_token& over) {
      self->Watch(handle, deadline, stop, over);
    });
    if (!thread) return Fail(thread.error());
    armed->thread_ = std::move(*thread);
    return armed;
  }

  bool came() const { return came_; }

 private:
  void Watch(sqlite3* handle, const Deadline& deadline, const std::stop_token& stop,
             const std::stop_token& over) {
    // Under the mutex: a stop that came after the wait looked at the token and before it began to
    // wait would otherwise wake nobody.
    const std::stop_callback wake(stop, [this] {
      const std::scoped_lock lock(mutex_);
      wake_.notify_all();
    });
    std::unique_lock lock(mutex_);
    wake_.wait_until(lock, over, deadline.when(), [&] { return stop.stop_requested(); });
    // Interrupts repeatedly: sqlite3_interrupt() between two statements has no effect.
    while (!over.stop_requested()) {
      came_ = true;
      sqlite3_interrupt(handle);
      wake_.wait_for(lock, over, kInterruptAgain, [] { return false; });
    }
  }

  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::atomic<bool> came_ = false;
  std::jthread thread_;  // last: it uses what stands before
};

Status CollectText(Connection& connection, const char* sql, std::vector<std::string>& into) {
  Statement rows(connection, sql);
  for (;;) {
    const Result<bool> row = rows.Step();
    if (!row) return Fail(row.error());
    if (!*row) return {};
    if (std::string text = rows.Text(0); text != "ok") into.push_back(std::move(text));
  }
}

Status CheckAll(Connection& connection, std::vector<std::string>& findings) {
  MLPROF_TRY(CollectText(connection, "PRAGMA integrity_check(100)", findings));
  MLPROF_TRY(CollectText(connection, R"sql(
    SELECT 'a row of ' || "table" || ' refers to one of ' || parent || ' that is not there'
    FROM pragma_foreign_key_check LIMIT 100)sql",
                         findings));
  MLPROF_LET(rows, FindDamagedRows(connection));
  std::move(rows.begin(), rows.end(), std::back_inserter(findings));
  return {};
}

// The index that lacks an entry; "" for any other finding.
std::string_view IndexLacking(std::string_view finding) {
  constexpr std::string_view kMissing = " missing from index ";
  const std::size_t at = finding.find(kMissing);
  if (!finding.starts_with("row ") || at == std::string_view::npos) return "";
  return finding.substr(at + kMissing.size());
}

// A finding may quote bytes of a damaged page: control characters must not reach a terminal.
std::string Printable(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

}  // namespace

bool IntegrityReport::OnlyIndexes() const {
  constexpr std::string_view kCount = "wrong # of entries in index ";
  const auto lacks = [&](std::string_view index) {
    return std::any_of(findings.begin(), findings.end(),
                       [&](const std::string& finding) { return IndexLacking(finding) == index; });
  };
  // A wrong count of entries is the index's fault only if entries are missing from it. Otherwise
  // the index has more than the table, and it is the table that may have lost rows.
  return !findings.empty() &&
         std::all_of(findings.begin(), findings.end(), [&](std::string_view finding) {
           return !IndexLacking(finding).empty() ||
                  (finding.starts_with(kCount) && lacks(finding.substr(kCount.size())));
         });
}

Result<IntegrityReport> CheckIntegrity(Connection& connection, const Deadline& deadline,
                                       const std::stop_token& stop) {
  IntegrityReport report;
  if (deadline.Passed() || stop.stop_requested()) return report;
  MLPROF_LET(interruption, Interruption::Arm(connection.handle(), deadline, stop));
  const Status checked = CheckAll(connection, report.findings);
  const bool interrupted = !checked && interruption->came();
  interruption.reset();
  report.complete = !interrupted;
  // A check that damage itself has ended is a finding; any other failure is a fault of the machine.
  if (!checked && !interrupted) {
    if (connection.trouble() != Trouble::kDamage) return Fail(checked.error());
    report.findings.push_back(checked.error().message());
  }
  return report;
}

std::string RestoreAdvice(const std::filesystem::path& file) {
  const std::string directory = file.parent_path().string();
  return "To restore: keep what is there (mv " + directory + " " + directory +
         ".damaged), put a backup of the whole directory in its place (cp -a BACKUP " + directory +
         ") and start again.";
}

Error DamagedDatabase(const std::filesystem::path& file, const IntegrityReport& report) {
  std::string message = "the database " + file.string() + " is damaged: ";
  for (std::size_t i = 0; i < std::min(report.findings.size(), kNamed); ++i) {
    message += (i == 0 ? "" : "; ") + Printable(report.findings[i]);
  }
  if (report.findings.size() > kNamed) {
    message += "; and " + std::to_string(report.findings.size() - kNamed) + " more";
  }
  message += ". Nothing was changed. " + RestoreAdvice(file);
  if (report.OnlyIndexes()) {
    message +=
        " Only indexes are damaged: without a backup, --repair-indexes makes them anew from "
        "the tables.";
  }
  return Internal(message);
}

}  // namespace mlprof::server
