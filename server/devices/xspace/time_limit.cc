#include "server/devices/xspace/time_limit.h"

namespace mlprof::server::xspace {

Status TimeLimit::Kept() const {
  if (!over_) return {};
  return Fail(ErrorCode::kDeadlineExceeded,
              "looking at this trace takes too long: trace for a shorter time, or ask trace_viewer "
              "for a window of it (fromMs, toMs)");
}

}  // namespace mlprof::server::xspace
