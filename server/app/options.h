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
#include "common/units/bytes.h"
#include "server/app/server_address.h"
#include "server/devices/profiler/profiler_address.h"
#include "server/retention/policy.h"

namespace mlprof::server {

struct ServerOptions {
  ListenAddress listen = {"127.0.0.1", 8080};  // --listen ADDRESS:PORT
  std::optional<ListenAddress> tls_listen;     // --tls-listen ADDRESS:PORT; the same over TLS
  std::filesystem::path tls_cert;              // --tls-cert; "": a certificate of our own
  std::filesystem::path tls_key;               // --tls-key
  std::string public_url;                      // --public-url, as ParsePublicUrl gives it; "": none
  bool require_token = false;                  // --require-token: local callers need one too
  bool allow_without_token = false;            // --allow-without-token: nobody needs one
  bool allow_plain_http = false;               // --allow-plain-http: --listen beyond loopback
  std::filesystem::path token_file;            // --token-file: one more token; "": none
  std::filesystem::path data_dir;              // --data-dir
  bool repair_indexes = false;                 // --repair-indexes, where nothing else is damaged
  std::string runtime = "docker";              // --runtime
  std::string docker_host;                // --docker-host; "": DOCKER_HOST, then the usual socket
  std::string base_image;                 // --base-image; "": mlprof's own
  std::vector<std::string> registries;    // --registries HOST[:PORT],…; beside the engine's own
  std::string isolation = "default";      // --isolation default|gvisor
  std::string device_access = "request";  // --device-access request|cdi|environment
  /// --capture-address HOST:PORT; the profiler servers that traces may be taken from by request
  std::vector<profiler::ProfilerAddress> capture_addresses;
  std::filesystem::path agent;       // --agent; "": beside the server
  Bytes scratch_limit = GiB(10);     // --scratch-limit-gb, of what one container may write
  bool keep_root_read_only = false;  // --keep-root-read-only: see RunServices
  RetentionRules retention;          // --keep-images-…, --keep-samples-…
  std::chrono::seconds budget{300};  // --budget-seconds, of profiles that ask for none
  /// --exit-when-unused FILE: end when nobody holds a shared flock on FILE any more (a private
  /// server of the command line).
  std::optional<std::filesystem::path> exit_when_unused;
  /// --leave-profiles: no profile is run, and unfinished ones stay as they are (the command line's
  /// work on tokens).
  bool leave_profiles = false;
  /// --check-runtime: say what its runtime finds here, as JSON, and end.
  bool check_runtime = false;
  std::string log_level = "info";  // --log-level debug|info|warn|error
  bool help = false;
  bool version = false;
};

using GetEnvironment = std::function<std::optional<std::string>(const std::string&)>;

/// kInvalidArgument with one sentence for a wrong flag or value, or for flags that exclude each
/// other; kNotAvailable for what comes with a later version. Reads the config file where one is
/// named.
Result<ServerOptions> ParseServerOptions(const std::vector<std::string>& arguments,
                                         const GetEnvironment& environment);

std::string ServerHelp();

}  // namespace mlprof::server
