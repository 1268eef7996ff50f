#include "server/profiling/lab/core_split.h"

#include <algorithm>
#include <set>

namespace mlprof::server {
namespace {

// The controller needs one whole core to send without delay; of fewer than four that would take too
// much from the model. A quarter is chosen, not measured.
constexpr std::size_t kFewestToSplit = 4;
constexpr std::size_t kReplayerShare = 4;

}  // namespace

std::optional<CoreSplit> SplitCores(const CoreSiblings& siblings) {
  if (siblings.size() < kFewestToSplit) return std::nullopt;
  const std::size_t wanted = std::max<std::size_t>(1, siblings.size() / kReplayerShare);
  std::set<int> replayer;
  for (std::size_t core = siblings.size(); core-- > 0 && replayer.size() < wanted;) {
    replayer.insert(static_cast<int>(core));
    replayer.insert(siblings[core].begin(), siblings[core].end());
  }
  CoreSplit split;
  for (int core = 0; core < std::ssize(siblings); ++core) {
    (replayer.contains(core) ? split.replayer : split.model).push_back(core);
  }
  if (split.model.empty()) return std::nullopt;
  return split;
}

}  // namespace mlprof::server
