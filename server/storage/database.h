// The database of one data directory: one connection that does every write and every checkpoint,
// behind a mutex, and read-only connections lent to readers. (SQLite 3.40.1 can damage a database
// when two connections write or checkpoint at once.) Thread-safe. The caller holds the data
// directory's lock.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/result/result.h"
#include "server/storage/connection.h"
#include "server/storage/migration.h"

namespace mlprof::server {

struct DatabaseOptions {
  std::span<const Migration> migrations = EmbeddedMigrations();
  /// How long the check of the whole file may hold up Open; the rest is checked in the background.
  std::chrono::milliseconds check_time = std::chrono::seconds(10);
  /// Makes indexes anew where nothing else is damaged.
  bool repair_indexes = false;
};

class Database {
 public:
  /// Checks schema and integrity before anything is written, then brings the schema up to date. A
  /// database that is damaged, newer or none of ours is refused and left as it is.
  static Result<std::unique_ptr<Database>> Open(const std::filesystem::path& file,
                                                const DatabaseOptions& options = {});
  ~Database();

  /// Whether all of it has passed its check since it was opened. Until then nothing may be deleted
  /// because of what it does not say. From any thread.
  bool checked() const { return checked_; }
  /// Checks what Open had no time for, on a connection of its own. Blocks; kCancelled at the stop.
  /// Where damage is found, no more is written.
  Status FinishCheck(const std::stop_token& stop);

  /// What keeps it from taking writes, if anything. Never blocks.
  Status Health() const;

  /// Runs `work(Connection&) -> Result<T>` in one transaction of the writer: committed when it
  /// returns a value, rolled back when it returns an error.
  template <class Work>
  std::invoke_result_t<Work, Connection&> Write(Work&& work) {
    const std::scoped_lock lock(writer_mutex_);
    const WriteTimer timer(*this);
    MLPROF_TRY(Health());
    MLPROF_LET(transaction, Transaction::BeginWrite(*writer_));
    auto result = std::forward<Work>(work)(*writer_);
    if (!result) return result;
    MLPROF_TRY(transaction.Commit());
    return result;
  }

  /// Runs `work(Connection&) -> Result<T>` over one consistent view, on a read-only connection.
  template <class Work>
  std::invoke_result_t<Work, Connection&> Read(Work&& work) {
    MLPROF_LET(reader, Lend());
    auto result = ReadOn(*reader, std::forward<Work>(work));
    GiveBack(std::move(reader));
    return result;
  }

  /// Called after every write transaction with its time, the wait for the writer not counted.
  /// Set it before other threads use the database.
  void ObserveWrites(std::function<void(std::chrono::nanoseconds)> observer) {
    observer_ = std::move(observer);
  }

  /// Called after a write that the full disk refused: what makes room lets the next one through.
  /// Set it before other threads use the database.
  void WhenDiskFull(std::function<void()> make_room) { make_room_ = std::move(make_room); }

 private:
  // Goes after the transaction of its write has.
  class WriteTimer {
   public:
    explicit WriteTimer(Database& database) : database_(database) {}
    ~WriteTimer() {
      if (database_.observer_) database_.observer_(std::chrono::steady_clock::now() - start_);
      if (database_.writer_->TakeDiskFull() && database_.make_room_) database_.make_room_();
    }

   private:
    Database& database_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  };

  Database(std::filesystem::path file, std::unique_ptr<Connection> writer)
      : file_(std::move(file)), writer_(std::move(writer)) {}
  template <class Work>
  static std::invoke_result_t<Work, Connection&> ReadOn(Connection& reader, Work&& work) {
    auto transaction = Transaction::BeginRead(reader);
    if (!transaction) return Fail(transaction.error());
    return std::forward<Work>(work)(reader);
  }
  Result<std::unique_ptr<Connection>> Lend();
  void GiveBack(std::unique_ptr<Connection> reader);

  const std::filesystem::path file_;
  std::function<void(std::chrono::nanoseconds)> observer_;
  std::function<void()> make_room_;
  std::mutex writer_mutex_;
  std::unique_ptr<Connection> writer_;
  std::mutex readers_mutex_;
  std::vector<std::unique_ptr<Connection>> idle_readers_;
  std::atomic<bool> checked_ = false;
  std::atomic<bool> damaged_ = false;  // as a reader or the check found
};

}  // namespace mlprof::server
