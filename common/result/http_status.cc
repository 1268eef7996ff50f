#include "common/result/http_status.h"

#include <algorithm>
#include <array>

namespace mlprof {
namespace {

struct Entry {
  ErrorCode code;
  int status;
};

// Where two codes have one status, the status means the first.
constexpr std::array<Entry, 14> kTable = {{
    {ErrorCode::kInvalidArgument, 400},
    {ErrorCode::kUnauthenticated, 401},
    {ErrorCode::kPermissionDenied, 403},
    {ErrorCode::kNotFound, 404},
    {ErrorCode::kConflict, 409},
    {ErrorCode::kTooLarge, 413},
    {ErrorCode::kUnsupportedMedia, 415},
    {ErrorCode::kKeyReused, 422},
    {ErrorCode::kResourceExhausted, 429},
    {ErrorCode::kInternal, 500},
    {ErrorCode::kNotAvailable, 501},
    {ErrorCode::kUnavailable, 503},
    {ErrorCode::kDeadlineExceeded, 504},
    {ErrorCode::kCancelled, 503},
}};

}  // namespace

int HttpStatusOf(ErrorCode code) {
  const auto* const entry =
      std::find_if(kTable.begin(), kTable.end(), [&](const Entry& e) { return e.code == code; });
  return entry == kTable.end() ? 500 : entry->status;
}

ErrorCode ErrorCodeOf(int http_status) {
  const auto* const entry = std::find_if(kTable.begin(), kTable.end(),
                                         [&](const Entry& e) { return e.status == http_status; });
  if (entry != kTable.end()) return entry->code;
  return http_status >= 400 && http_status < 500 ? ErrorCode::kInvalidArgument
                                                 : ErrorCode::kInternal;
}

}  // namespace mlprof
