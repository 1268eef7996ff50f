// One connection to a TCP port of the model's, as whoever opened it sees it.
#pragma once

#include <string>
#include <string_view>

#include "common/result/result.h"
#include "common/time/deadline.h"

namespace mlprof::server {

/// Thread-safe: one thread may read while another writes, and any may close. It may outlive its
/// link, with which it ends. Nothing here waits inside a callback of the link.
class PortStream {
 public:
  /// Closes it.
  virtual ~PortStream() = default;
  /// Waits until there is something and returns it, 256 KiB at most; "" where the model sends no
  /// more. kDeadlineExceeded leaves the stream as it was; kCancelled once it was closed here;
  /// kUnavailable, with the reason, where the model or the link broke it. What came before that is
  /// read first.
  virtual Result<std::string> Read(Deadline deadline) = 0;
  /// Returns when the last of `bytes` is on its way. Errors as of Read; some of them may have been
  /// sent then. kInvalidArgument behind CloseWrite.
  virtual Status Write(std::string_view bytes, Deadline deadline) = 0;
  /// Nothing more is written; the model reads its end behind what was. Does not wait.
  virtual void CloseWrite() = 0;
  /// Ends both ways; who waits in another call is told. Does not wait; idempotent.
  virtual void Close() = 0;
};

}  // namespace mlprof::server
