#include "server/devices/profiler/live_captures.h"

#include <algorithm>

namespace mlprof::server::profiler {

Status LiveCaptures::Check(const ProfilerAddress& address) const {
  if (std::ranges::find(allowed_, address) != allowed_.end()) return {};
  const std::string text = address.Text();
  return Fail(ErrorCode::kPermissionDenied,
              "this server takes no traces from " + text +
                  ": whoever runs it allows that with --capture-address " + text +
                  " (or MLPROF_CAPTURE_ADDRESS); or run `mlprof capture " + text +
                  "` where that address is reached");
}

Result<SpooledBody> LiveCaptures::Take(const ProfilerAddress& address,
                                       std::chrono::milliseconds duration,
                                       const std::filesystem::path& folder) {
  auto trace = source_.Record({address, duration, folder, {}, stop_.get_token()});
  if (!trace && trace.error().code() == ErrorCode::kCancelled) {
    return Fail(Unavailable("the server is stopping"));
  }
  return trace;
}

}  // namespace mlprof::server::profiler
