// What `mlprof-server --check-runtime` prints, for `mlprof doctor`.
#pragma once

#include "common/json/json.h"
#include "server/app/options.h"

namespace mlprof::server {

/// {"runtime": "process", "checks": [{"name", "ok", "found", "mend"}]}; no checks for containers,
/// whose engine the doctor asks itself. Tries out a sandbox and a cgroup, and leaves nothing.
Json CheckRuntime(const ServerOptions& options);

}  // namespace mlprof::server
