// `mlprof comparison list|show|cancel|delete`.
#include "client/cli/commands/comparison_commands.h"

#include "client/cli/command.h"
#include "client/cli/output/comparison_details.h"
#include "client/cli/output/tables.h"

namespace mlprof::client::cli {
namespace {

Result<int> ListComparisons(Session& session, const Options& /*options*/) {
  MLPROF_LET(client, session.Connect());
  MLPROF_LET(comparisons, client.comparisons().List());
  session.Print(ListJson(comparisons), ComparisonListTable(comparisons));
  return kDone;
}

Result<int> ShowComparison(Session& session, const Options& options) {
  MLPROF_LET(client, session.Connect());
  MLPROF_LET(comparison, client.comparisons().Get(options.operands()[0]));
  PrintComparison(session, comparison);
  return kDone;
}

Result<int> CancelComparison(Session& session, const Options& options) {
  MLPROF_LET(client, session.Connect());
  MLPROF_LET(comparison, client.comparisons().Cancel(options.operands()[0]));
  session.Say("comparison " + options.operands()[0] + " is asked to stop");
  PrintComparison(session, comparison);
  return kDone;
}

Result<int> DeleteComparison(Session& session, const Options& options) {
  MLPROF_LET(client, session.Connect());
  MLPROF_TRY(client.comparisons().Delete(options.operands()[0]));
  session.Say("deleted comparison " + options.operands()[0] + " and its profiles");
  return kDone;
}

}  // namespace

std::vector<Command> ComparisonCommands() {
  return {
      {"comparison list",
       "",
       "list comparisons of variants",
       0,
       0,
       {},
       {"mlprof comparison list"},
       ListComparisons},
      {"comparison show",
       "NAME",
       "show variants side by side, ranked by cost",
       1,
       1,
       {},
       {"mlprof comparison show precisions", "mlprof comparison show precisions -o json"},
       ShowComparison},
      {"comparison cancel",
       "NAME",
       "stop the variants that are not finished",
       1,
       1,
       {},
       {"mlprof comparison cancel precisions"},
       CancelComparison},
      {"comparison delete",
       "NAME",
       "delete a finished comparison with its profiles",
       1,
       1,
       {},
       {"mlprof comparison delete precisions"},
       DeleteComparison},
  };
}

}  // namespace mlprof::client::cli
