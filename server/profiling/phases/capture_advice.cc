#include "server/profiling/phases/capture_advice.h"

namespace mlprof::server::phases {

std::string AdviceOnCapture(const Error& error, int port) {
  const std::string at = std::to_string(port);
  switch (error.code()) {
    case ErrorCode::kNotFound:
    case ErrorCode::kInvalidArgument:
      return "let the process that scores call jax.profiler.start_server(" + at +
             ") (TensorFlow: tf.profiler.experimental.server.start) before it serves, or name its "
             "port as profilerPort";
    case ErrorCode::kConflict:
      return "leave the profiler to mlprof: a process takes one profile at a time, has to be the "
             "one that scores, and needs jaxlib 0.7.2 or later";
    case ErrorCode::kTooLarge:
    case ErrorCode::kDeadlineExceeded:
      return "ask the model for less while it is recorded: a lower concurrency or rate, or rows "
             "that do less";
    case ErrorCode::kCancelled: return "allow a longer budget with --budget-seconds, or name none";
    case ErrorCode::kResourceExhausted: return "allow more memory with --memory-gb";
    default:
      return "see `mlprof profile logs`, the log of the server and that its disk has room, then "
             "profile again";
  }
}

}  // namespace mlprof::server::phases
