// Phase "coldStarts": the model is started in three fresh containers at the ceiling, or five: time,
// CPU and memory to ready. The last one is kept running for the phases that follow.
#pragma once

#include <vector>

#include "server/analysis/recommend.h"
#include "server/profiling/phases/ample.h"

namespace mlprof::server::phases {

struct StartFacts {
  std::vector<Bytes> peaks;         // unreclaimable, until ready
  std::vector<double> seconds;      // until ready
  std::vector<double> cpu_seconds;  // likewise
  agent_protocol::Ready ready;      // of the container that is kept
};

/// Leaves the model serving in `ample`, with folders to write to where it does not start without.
PhaseResult<StartFacts> ColdStarts(Lab& lab, Ample& ample);

/// What the starts alone ask for. Pure.
MeasuredNeed NeedOfStart(const StartFacts& starts);

}  // namespace mlprof::server::phases
