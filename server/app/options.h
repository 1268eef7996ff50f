// What mlprof-server can be told: flags first, then MLPROF_… variables, then the config file, then
// the defaults below.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/result/result.h"

namespace mlprof {

struct ServerOptions {
  std::string address = "127.0.0.1";  // --listen ADDRESS:PORT
  unsigned short port = 8080;         // 0: any free one
  std::filesystem::path data_dir;     // --data-dir
  std::string runtime = "docker";     // --runtime
  std::string docker_host;            // --docker-host; "": DOCKER_HOST, then the usual socket
  std::string base_image;             // --base-image; "": mlprof's own
  std::string isolation = "default";  // --isolation default|gvisor
  std::filesystem::path agent;        // --agent; "": beside the server
  std::chrono::seconds budget{300};   // --budget-seconds, of profiles that ask for none
  /// --exit-when-unused FILE: end when nobody holds a shared flock on FILE any more (a private
  /// server of the command line).
  std::optional<std::filesystem::path> exit_when_unused;
  std::string log_level = "info";  // --log-level debug|info|warn|error
  bool help = false;
  bool version = false;
};

using GetEnvironment = std::function<std::optional<std::string>(const std::string&)>;

/// kInvalidArgument with one sentence for a wrong flag or value; kNotAvailable for what comes with
/// a later version. Reads the config file where one is named.
Result<ServerOptions> ParseServerOptions(const std::vector<std::string>& arguments,
                                         const GetEnvironment& environment);

std::string ServerHelp();

}  // namespace mlprof
