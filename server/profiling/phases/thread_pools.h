// Phase "threadPools": where the model's thread pools are sized by the host rather than by its
// quota, the size to use is tried in a fresh container and kept if it wins.
#pragma once

#include "common/domain/findings.h"
#include "server/analysis/thread_pools.h"
#include "server/profiling/phases/limited_run.h"
#include "server/profiling/phases/search_cpu.h"

namespace mlprof::server::phases {

struct PoolFacts {
  ThreadPoolFindings found;
  std::optional<Cores> cpu;           // goes with the setting that won
  std::optional<std::string> advice;  // what to do about it
  Reference reference;                // the fastest look so far
};

/// What was seen of them in the ample container. `most_tasks`: the most threads. Nothing of how
/// requests arrive.
ThreadPoolEvidence SeePools(const InferenceConfig& config, const agent_protocol::Ready& ready,
                            std::int64_t most_tasks, const CpuChoice& choice, const Cpuset& cpuset,
                            int host_cores);

/// `evidence` makes pools suspected.
PhaseResult<PoolFacts> TryThreadPools(Lab& lab, Yardstick yardstick,
                                      const ThreadPoolEvidence& evidence, const CpuChoice& choice,
                                      const MeasuredNeed& need);

}  // namespace mlprof::server::phases
