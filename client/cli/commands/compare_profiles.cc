// `mlprof profile compare A B`.
#include "client/cli/command.h"
#include "client/cli/output/comparison.h"

namespace mlprof::client::cli {
namespace {

Result<int> CompareTwo(Session& session, const Options& options) {
  auto client = session.Connect();
  if (!client) return Fail(client.error());
  const auto before = client->profiles().Get(options.operands()[0]);
  if (!before) return Fail(before.error());
  const auto after = client->profiles().Get(options.operands()[1]);
  if (!after) return Fail(after.error());
  const Comparison comparison = Compare(before->value, after->value);
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
