// `mlprof profile rerun NAME`.
#include "client/cli/command.h"
#include "client/cli/commands/profile_commands.h"

namespace mlprof::client::cli {
namespace {

Result<int> RerunProfile(Session& session, const Options& options) {
  MLPROF_TRY(CheckWaiting(session, options));
  MLPROF_LET(client, session.Connect());
  MLPROF_LET(profile, client.profiles().Rerun(options.operands()[0], options.Has("--when-quiet")));
  return SeeThrough(session, client, options, profile);
}

}  // namespace

Command RerunCommand() {
  return {"profile rerun",
          "NAME",
          "ask the same question once more",
          1,
          1,
          {{{"--when-quiet"}, "", "wait until other work leaves the host quiet"},
           {{"--no-wait"}, "", "queue it and return"}},
          {"mlprof profile rerun p1", "mlprof profile rerun p1 --when-quiet"},
          RerunProfile};
}

}  // namespace mlprof::client::cli
