// `mlprof profile compare A B`.
#include "client/cli/command.h"
#include "client/cli/output/comparison.h"

namespace mlprof::client::cli {
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
