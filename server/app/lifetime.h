// How long the server lives: until a signal, or until nobody uses it any more.
#pragma once

#include <filesystem>
#include <optional>

namespace mlprof::server {

/// Blocks SIGTERM, SIGINT and SIGHUP in this thread and those it starts, and ignores SIGPIPE. Call
/// before any thread is started.
void BlockStopSignals();

/// Returns on SIGTERM, SIGINT or SIGHUP, or when an exclusive lock on `unused_file` can be had:
/// nobody holds a shared one any more. A second signal after this has returned ends the process at
/// once.
void WaitForEnd(const std::optional<std::filesystem::path>& unused_file);

}  // namespace mlprof::server
