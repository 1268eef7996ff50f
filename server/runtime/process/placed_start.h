// What the agent is told to start, put into terms of this machine: a container's places are folders
// here where there is no root of the model's own, and its port may be another. Pure.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/agent_protocol/messages.h"

namespace mlprof::server::process {

struct StartPlacement {
  /// Folders of a container, and what takes their place; empty where the model has a root of its
  /// own. Longer ones first.
  std::vector<std::pair<std::string, std::string>> places;
  /// In place of /tmp as TMPDIR; "": none.
  std::string temporary;
  /// In place of the port that was to be used, where that is not the model's own choice.
  std::optional<int> port;
  /// The GPUs that it was given, by uuid; "": none.
  std::string gpus;
  /// Beside what the page cache is to forget before a cold start.
  std::vector<std::string> more_to_forget;
};

agent_protocol::Start PlacedStart(agent_protocol::Start start, const StartPlacement& placement);

}  // namespace mlprof::server::process
