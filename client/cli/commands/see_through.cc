// What the commands that make a profile do with it.
#include "client/cli/command.h"
#include "client/cli/commands/profile_commands.h"
#include "client/cli/output/profile_details.h"
#include "client/cli/watch/watch.h"

namespace mlprof::client::cli {
namespace {

// The tags go on even when the answer is not verified; the server adds its warning.
Result<Resource<Profile>> TagModels(Session& session, Client& client,
                                    const Resource<Profile>& profile) {
  if (!profile.value.recommendation) return profile;
  auto applied = client.profiles().Apply(profile.value.id);
  if (!applied) return applied;
  for (const std::string& id : profile.value.request.model_ids) {
    session.Say("tagged model " + id + " with the recommendation");
  }
  return applied;
}

}  // namespace

void SayFindings(Session& session, const Profile& profile) {
  for (const Warning& warning : profile.warnings) session.Say("warning: " + warning.message);
  if (profile.error) session.Say(profile.error->message);
  if (ExitStatusOf(profile) == kNotVerified) {
    session.Say("the answer could not be verified (exit status 5)");
  }
  if (profile.no_answer) session.Say(profile.no_answer->message + " (exit status 6)");
}

Status CheckWaiting(Session& session, const Options& options) {
  if (!options.Has("--no-wait") || !session.uses_private_server()) return {};
  return WrongUse(
      "--no-wait needs a server that goes on (--server, MLPROF_SERVER): the private one ends "
      "with this command");
}

Result<int> SeeThrough(Session& session, Client& client, const Options& options,
                       const Resource<Profile>& profile) {
  session.Say("profile " + profile.value.request.name + " is queued");
  if (options.Has("--no-wait")) {
    PrintProfile(session, profile);
    return kDone;
  }
  MLPROF_LET(watched, WatchHere(session, client, profile.value.id));
  if (watched.detached) {
    session.Say("left profile " + profile.value.request.name + " running; see it with: mlprof " +
                "profile show " + profile.value.request.name);
    return kRefused;
  }
  if (options.Has("--tag-model")) {
    MLPROF_LET(tagged, TagModels(session, client, watched.profile));
    watched.profile = std::move(tagged);
  }
  PrintProfile(session, watched.profile);
  if (session.format() != OutputFormat::kTable) SayFindings(session, watched.profile.value);
  return ExitStatusOf(watched.profile.value);
}

}  // namespace mlprof::client::cli
