// Lines for a descriptor that may take none for a while, such as a pipe whose reader was stopped: a
// bounded queue, and one thread that writes.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "common/result/result.h"
#include "common/units/bytes.h"

namespace mlprof {

/// All of `text`, whatever flags the descriptor was left with; false where it takes no more. Blocks
/// for as long as the descriptor does.
bool WriteWhole(int fd, std::string_view text);

/// Writes whole lines in the order in which they were put. Thread-safe.
class LineWriter {
 public:
  /// The line, its end included, that tells of lines that were dropped.
  using TellOfDropped = std::function<std::string(std::int64_t count)>;

  /// Starts the thread. At most `most_waiting` wait for it, and as much again is being written. The
  /// descriptor's flags stay as they are: other processes may share them.
  static Result<std::unique_ptr<LineWriter>> Start(int fd, Bytes most_waiting, TellOfDropped tell);
  /// Gives up what still waits. Its thread ends by itself, once the descriptor lets it.
  ~LineWriter();

  /// Never waits for the descriptor. `line` ends with a newline. Where there is no room it is
  /// dropped, and so is what follows until there is: the count is told in its place.
  void Put(std::string_view line);
  /// Whether all that was put before is written, or dropped, within `most`.
  bool Flush(std::chrono::milliseconds most);

 private:
  struct Shared;
  explicit LineWriter(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}

  std::shared_ptr<Shared> shared_;  // with the thread, which may outlive this
};

}  // namespace mlprof
