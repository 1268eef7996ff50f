// Which cores drive the model and which are the model's own, where the host has enough. Pure.
#pragma once

#include <optional>
#include <vector>

namespace mlprof::server {

/// One entry a core: the cores (its own number among them) that share its execution units.
using CoreSiblings = std::vector<std::vector<int>>;

struct CoreSplit {
  std::vector<int> replayer;
  std::vector<int> model;
};

/// From 4 cores up the controller gets a quarter of them, whole physical cores from the top, so
/// that it never is a hyper-thread's sibling of the model. Fewer: nullopt, they are shared.
std::optional<CoreSplit> SplitCores(const CoreSiblings& siblings);

}  // namespace mlprof::server
