// A profile as the command line shows it.
#pragma once

#include "client/cli/session.h"

namespace mlprof::client::cli {

/// In the form that the session was asked for.
void PrintProfile(Session& session, const Resource<Profile>& profile);

}  // namespace mlprof::client::cli
