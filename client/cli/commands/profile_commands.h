// What the commands that show a profile share. The commands themselves are declared in command.h.
#pragma once

#include "client/cli/options.h"
#include "client/cli/session.h"

namespace mlprof::client::cli {

/// Prints a profile in the form that the session was asked for.
void PrintProfile(Session& session, const Resource<Profile>& profile);

/// What decides the exit status, and the warnings, for a person beside a document on stdout.
void SayFindings(Session& session, const Profile& profile);

/// kWrongUse for --no-wait on a server that ends with the command.
Status CheckWaiting(Session& session, const Options& options);
/// Of a profile that was just made: watches it, tags its models where that is asked for, and prints
/// what came out; with --no-wait prints it as it is. Gives the exit status.
Result<int> SeeThrough(Session& session, Client& client, const Options& options,
                       const Resource<Profile>& profile);

}  // namespace mlprof::client::cli
