// The two messages of tensorflow.ProfilerService.Profile, as far as they matter here: what is asked
// of a profiler server, and the trace in what it answers. Pure.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "common/result/result.h"

namespace mlprof::server::profiler {

inline constexpr std::string_view kProfileMethod = "/tensorflow.ProfilerService/Profile";

struct ProfileRequest {
  std::chrono::milliseconds duration;
  // Where a server that cannot send a trace writes it, on its own disk:
  // FOLDER/SESSION/HOST.xplane.pb. The session must be new: one that was ended once ends at once.
  std::string folder;
  std::string session;
  std::string host;

  std::string FileOfOlderServers() const;
};

std::string Encode(const ProfileRequest& request);

struct ProfileResponse {
  std::vector<std::string_view> trace;  // the XSpace in pieces, which point into what was read
  bool nothing_ran = false;
};

/// kInternal where `message` is none.
Result<ProfileResponse> ReadProfileResponse(std::string_view message);

}  // namespace mlprof::server::profiler
