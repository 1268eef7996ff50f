// Watching a profile from a command line: a bar on a terminal, a line per phase elsewhere, and
// Ctrl-C asks.
#pragma once

#include <string>

#include "client/cli/session.h"
#include "client/cli/watch/watch.h"
#include "common/result/result.h"

namespace mlprof::client::cli {

/// `client` is the session's own, used from this thread.
Result<Watched> WatchHere(Session& session, Client& client, const std::string& name);

}  // namespace mlprof::client::cli
