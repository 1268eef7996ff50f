// Starts mlprof-server as a program of its own that outlives this one for as long as it is used.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

#include "common/result/result.h"
#include "common/time/deadline.h"

namespace mlprof::client::cli {

struct ServerProcess {
  pid_t pid = 0;
  std::string url;
};

struct ServerProcessOptions {
  std::filesystem::path program;
  std::filesystem::path data_dir;
  std::filesystem::path users_lock;  // the server ends when nobody holds this one any more
  std::filesystem::path token_file;  // what callers must bring; read before it answers
  std::filesystem::path log;         // gets its stderr
  bool leave_profiles = false;       // it runs none
  std::string runtime = {};          // --runtime; "": as it is configured
};

/// Waits for the line `listening on URL`. kUnavailable with the last lines of its log where it ends
/// before that, or says nothing until `deadline` (then it is killed).
Result<ServerProcess> StartServerProcess(const ServerProcessOptions& options,
                                         const Deadline& deadline);

}  // namespace mlprof::client::cli
