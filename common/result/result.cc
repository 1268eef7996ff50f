#include "common/result/result.h"

#include <cerrno>
#include <system_error>

namespace mlprof {

std::string_view Name(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument: return "invalidArgument";
    case ErrorCode::kUnauthenticated: return "unauthenticated";
    case ErrorCode::kPermissionDenied: return "permissionDenied";
    case ErrorCode::kNotFound: return "notFound";
    case ErrorCode::kConflict: return "conflict";
    case ErrorCode::kTooLarge: return "tooLarge";
    case ErrorCode::kUnsupportedMedia: return "unsupportedMedia";
    case ErrorCode::kKeyReused: return "keyReused";
    case ErrorCode::kResourceExhausted: return "resourceExhausted";
    case ErrorCode::kInternal: return "internal";
    case ErrorCode::kNotAvailable: return "notAvailable";
    case ErrorCode::kUnavailable: return "unavailable";
    case ErrorCode::kDeadlineExceeded: return "deadlineExceeded";
    case ErrorCode::kCancelled: return "cancelled";
  }
  return "internal";
}

Error Error::WithContext(std::string_view context) const {
  return Error(code_, std::string(context) + ": " + message_, fields_);
}

Error InvalidArgument(std::string message) {
  return Error(ErrorCode::kInvalidArgument, std::move(message));
}
Error NotFound(std::string message) { return Error(ErrorCode::kNotFound, std::move(message)); }
Error Conflict(std::string message) { return Error(ErrorCode::kConflict, std::move(message)); }
Error Internal(std::string message) { return Error(ErrorCode::kInternal, std::move(message)); }
Error Unavailable(std::string message) {
  return Error(ErrorCode::kUnavailable, std::move(message));
}
Error DeadlineExceeded(std::string message) {
  return Error(ErrorCode::kDeadlineExceeded, std::move(message));
}
Error Cancelled(std::string message) { return Error(ErrorCode::kCancelled, std::move(message)); }

Error FromErrno(int errno_value, std::string_view what) {
  const bool full = errno_value == ENOSPC || errno_value == EDQUOT;
  return Error(full ? ErrorCode::kUnavailable : ErrorCode::kInternal,
               std::string(what) + ": " + std::generic_category().message(errno_value));
}

}  // namespace mlprof
