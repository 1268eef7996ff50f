// Result<T>: a value or an Error, with what makes an Error and hands it on. Result is one alias, so
// that std::expected can take over one day: use only has_value / operator bool / * / -> / value /
// error.
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <type_traits>
#include <utility>
#include <vector>

namespace mlprof {

/// Protocol-neutral categories; http_status.h has their HTTP statuses.
enum class ErrorCode {
  kInvalidArgument,    // 400: the caller's input is wrong
  kUnauthenticated,    // 401
  kPermissionDenied,   // 403
  kNotFound,           // 404
  kConflict,           // 409: the name exists, or the state forbids it
  kTooLarge,           // 413
  kUnsupportedMedia,   // 415
  kKeyReused,          // 422: an idempotency key came back with another body
  kResourceExhausted,  // 429: a queue or a quota is full
  kInternal,           // 500: a fault of ours
  kNotAvailable,       // 501: comes with a later version
  kUnavailable,        // 503: shutting down, disk full, a dependency is out of reach
  kDeadlineExceeded,   // 504: it took too long
  kCancelled,          // the caller asked to stop
};

/// Stable lowerCamelCase name, used in `urn:mlprof:error:NAME` and in logs.
std::string_view Name(ErrorCode code);

/// One bad field of a request. `pointer` is an RFC 6901 JSON pointer ("/objective/concurrency").
struct FieldError {
  std::string pointer;
  std::string detail;
  bool operator==(const FieldError&) const = default;
};

/// An expected failure, as a value. Plain data; copy it between threads freely.
class Error {
 public:
  Error(ErrorCode code, std::string message) : code_(code), message_(std::move(message)) {}
  Error(ErrorCode code, std::string message, std::vector<FieldError> fields)
      : code_(code), message_(std::move(message)), fields_(std::move(fields)) {}

  ErrorCode code() const { return code_; }
  const std::string& message() const { return message_; }
  const std::vector<FieldError>& fields() const { return fields_; }

  /// The same error with "context: " put before its message, as it travels up.
  Error WithContext(std::string_view context) const;

 private:
  ErrorCode code_;
  std::string message_;
  std::vector<FieldError> fields_;
};

Error InvalidArgument(std::string message);
Error NotFound(std::string message);
Error Conflict(std::string message);
Error Internal(std::string message);
Error Unavailable(std::string message);
Error DeadlineExceeded(std::string message);
Error Cancelled(std::string message);
/// Internal (or Unavailable where the disk is full) with strerror(errno_value) appended.
Error FromErrno(int errno_value, std::string_view what);

template <class T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

inline tl::unexpected<Error> Fail(Error error) { return tl::unexpected<Error>(std::move(error)); }
inline tl::unexpected<Error> Fail(ErrorCode code, std::string message) {
  return tl::unexpected<Error>(Error(code, std::move(message)));
}

/// Makes what a third party throws (and what runs out of memory) a value. Gives what
/// `work() -> Result<T>` gives, or kInternal with the words of what it threw.
template <class Work>
std::invoke_result_t<Work> Caught(Work&& work) {
  try {
    return std::forward<Work>(work)();
  } catch (const std::exception& error) {
    return Fail(Internal(std::string("an unexpected exception: ") + error.what()));
  }
}

}  // namespace mlprof

/// Returns from the calling function with the error of `expression` (a Status) if it has one.
#define MLPROF_TRY(expression)                                 \
  do {                                                         \
    if (auto mlprof_status = (expression); !mlprof_status) {   \
      return ::mlprof::Fail(std::move(mlprof_status).error()); \
    }                                                          \
  } while (false)

/// Declares `name` as the value of `expression` (a Result, or another expected value), or returns
/// from the calling function with its error.
#define MLPROF_LET(name, ...)                                                \
  auto name##_or_error = (__VA_ARGS__);                                      \
  if (!name##_or_error) {                                                    \
    return ::tl::unexpected<typename decltype(name##_or_error)::error_type>( \
        std::move(name##_or_error).error());                                 \
  }                                                                          \
  auto& name = *name##_or_error
