// What the commands that show a profile share. The commands themselves are declared in command.h.
#pragma once

#include "client/cli/session.h"

namespace mlprof::client::cli {

/// Prints a profile in the form that the session was asked for.
void PrintProfile(Session& session, const Resource<Profile>& profile);

}  // namespace mlprof::client::cli
