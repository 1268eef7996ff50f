#include "server/profiling/lab/core_split.h"

#include <algorithm>
#include <cstdio>
#include <set>
#include <sstream>

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

std::string CpusetText(const std::vector<int>& cores) {
  std::string text;
  for (std::size_t i = 0; i < cores.size();) {
    std::size_t last = i;
    while (last + 1 < cores.size() && cores[last + 1] == cores[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(cores[i]);
    if (last > i) text += '-' + std::to_string(cores[last]);
    i = last + 1;
  }
  return text;
}

std::vector<int> ParseCpuset(const std::string& text) {
  std::vector<int> cores;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    int first = 0;
    int last = 0;
    const int fields = std::sscanf(part.c_str(), "%d-%d", &first, &last);
    if (fields == 1) last = first;
    for (int core = first; fields >= 1 && core <= last; ++core) cores.push_back(core);
  }
  return cores;
}

}  // namespace mlprof::server
