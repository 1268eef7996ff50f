// The rows of a replay in its order. Rows that are not in memory are read ahead by a thread of the
// feed's own, a few MiB at most, so that whoever sends them waits for no disk.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "common/domain/row_source.h"

namespace mlprof::server {

/// Ready, Take and error are for one thread at a time and wait for nothing.
class RowFeed {
 public:
  /// The most that is read ahead (one row at least), so that memory does not grow with the dataset.
  /// Chosen, not measured: 1,024 rows outlast a pause of the disk of 200 ms at 5,000 rows a second.
  static constexpr Bytes kMostAhead = MiB(4);
  static constexpr std::size_t kMostRowsAhead = 1024;

  /// `rows` and `order`, which begins anew at its end, outlive the feed. `on_read` comes on the
  /// feed's thread, once for each time that Ready() has said no: it will say yes, or error() why
  /// not.
  RowFeed(const RowSource& rows, const std::vector<std::uint32_t>& order,
          std::function<void()> on_read);
  /// Stops.
  ~RowFeed();
  RowFeed(const RowFeed&) = delete;
  RowFeed& operator=(const RowFeed&) = delete;

  /// Whether the next row is there.
  bool Ready();
  /// The next row, which must be there.
  std::string Take();
  /// Reads no further row; waits for the one that is being read, whose error() may still come.
  /// Nothing that on_read needs may be locked.
  void Stop();
  /// Why no further row will be there.
  std::optional<Error> error() const;

 private:
  void Run(const std::stop_token& stop);
  void ReadAhead(const std::stop_token& stop);
  /// False where it could not be.
  bool ReadOne(std::uint32_t row);

  const RowSource& rows_;
  const std::vector<std::uint32_t>& order_;
  const std::function<void()> on_read_;
  const bool held_;
  std::size_t taken_ = 0;

  mutable std::mutex mutex_;
  std::condition_variable_any room_;
  std::deque<std::string> ahead_;
  Bytes bytes_ahead_;
  // Set when all that may be read ahead was, until half of it is taken: so the thread is woken once
  // for many rows and not for each.
  bool full_ = false;
  bool wanted_ = false;
  std::optional<Error> error_;
  std::jthread thread_;
};

}  // namespace mlprof::server
