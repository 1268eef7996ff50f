#include "client/cli/commands/profile_commands.h"

#include "client/cli/command.h"
#include "client/cli/output/comparison.h"
#include "client/cli/output/profile_details.h"
#include "client/cli/output/tables.h"
#include "client/cli/output/text.h"

namespace mlprof::client::cli {
namespace {

Result<int> ListProfiles(Session& session, const Options& options) {
  MLPROF_LET(client, session.Connect());
  MLPROF_LET(profiles, client.profiles().List({options.Text("--state"), options.Text("--model")}));
  session.Print(ListJson(profiles), ProfileTable(profiles));
  return kDone;
}

Result<int> ShowProfile(Session& session, const Options& options) {
  MLPROF_LET(client, session.Connect());
  MLPROF_LET(profile, client.profiles().Get(options.operands()[0]));
  PrintProfile(session, profile);
  return kDone;
}

Result<int> CancelProfile(Session& session, const Options& options) {
  MLPROF_LET(client, session.Connect());
  MLPROF_LET(profile, client.profiles().Cancel(options.operands()[0]));
  session.Say("profile " + options.operands()[0] + " is asked to stop");
  PrintProfile(session, profile);
  return kDone;
}

Result<int> DeleteProfile(Session& session, const Options& options) {
  MLPROF_LET(client, session.Connect());
  // A name may have several runs, and means the newest.
  MLPROF_LET(profile, client.profiles().Get(options.operands()[0]));
  MLPROF_TRY(client.profiles().Delete(profile.value.id));
  session.Say("deleted profile " + profile.value.request.name + " of " +
              Text(profile.value.created) + " (" + profile.value.id + ")");
  return kDone;
}

Result<int> ShowLogs(Session& session, const Options& options) {
  MLPROF_LET(client, session.Connect());
  MLPROF_LET(logs, client.profiles().Logs(options.operands()[0]));
  if (session.format() == OutputFormat::kTable) {
    // To a file or a pipe it goes as it is.
    const bool is_terminal = session.surroundings().out_is_terminal;
    session.surroundings().out << (is_terminal ? VisibleLines(logs) : logs) << std::flush;
  } else {
    session.Print({{"text", logs}}, Table{{}, {{logs}}});
  }
  return kDone;
}

}  // namespace

std::vector<Command> ProfileCommands() {
  return {
      {"profile list",
       "",
       "list profiles",
       0,
       0,
       {{{"--state"}, "STATE", "only in this state"},
        {{"--model", "-m"}, "ID", "only of this model"}},
       {"mlprof profile list --state Succeeded"},
       ListProfiles},
      {"profile show",
       "NAME",
       "show a profile and its recommendation",
       1,
       1,
       {},
       {"mlprof profile show p1", "mlprof profile show p1 -o json"},
       ShowProfile},
      {"profile cancel",
       "NAME",
       "stop a profile",
       1,
       1,
       {},
       {"mlprof profile cancel p1"},
       CancelProfile},
      {"profile delete",
       "NAME",
       "delete a finished profile",
       1,
       1,
       {},
       {"mlprof profile delete p1"},
       DeleteProfile},
      {"profile logs",
       "NAME",
       "show what the installation and the model wrote",
       1,
       1,
       {},
       {"mlprof profile logs p1"},
       ShowLogs},
  };
}

void PrintProfile(Session& session, const Resource<Profile>& profile) {
  session.Print(JsonOfText(profile.json), ProfileTable({profile}), ProfileDetails(profile.value));
}

// `mlprof profile compare A B`.

namespace {

Result<int> CompareTwo(Session& session, const Options& options) {
  MLPROF_LET(client, session.Connect());
  MLPROF_LET(before, client.profiles().Get(options.operands()[0]));
  MLPROF_LET(after, client.profiles().Get(options.operands()[1]));
  const Comparison comparison = Compare(before.value, after.value);
  session.Print(ComparisonJson(comparison), ComparisonTable(comparison),
                ComparisonDetails(comparison));
  return kDone;
}

}  // namespace

Command CompareCommand() {
  return {"profile compare",
          "A B",
          "what changed from one profile to another",
          2,
          2,
          {},
          {"mlprof profile compare before after", "mlprof profile compare p1 p2 -o json"},
          CompareTwo};
}

}  // namespace mlprof::client::cli
