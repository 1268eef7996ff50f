// How a run at limits is judged.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>

#include "common/agent_protocol/messages.h"
#include "server/analysis/resource_use.h"
#include "server/analysis/verdict.h"
#include "server/profiling/lab/lab.h"
#include "server/profiling/phases/limited_replay.h"
#include "server/profiling/phases/reference.h"

namespace mlprof::server::phases {

/// The end of what has none yet.
inline constexpr auto kForEver = std::chrono::nanoseconds::max();

/// A run as far as it went. What it refers to must outlive it.
struct LimitedRunSeen {
  Container& container;
  const Yardstick& yardstick;
  const LimitedReplay& replay;
  std::optional<agent_protocol::Ready> ready = {};
  std::chrono::nanoseconds ready_at{0};  // or given up
};

struct JudgedRun {
  VerificationEvidence evidence;
  Verdict verdict;
};

/// By the load beside the reference `beside`, and by what else has to hold where that did: fresh
/// connections, and that every process that serves had a row. `samples`: of the container's whole
/// life, as `whole_life`. Asks the container how it died, where it did.
JudgedRun JudgeLimitedRun(const LimitedRunSeen& run, const Reference& beside,
                          std::chrono::seconds start_timeout, std::span<const Sample> samples,
                          const ResourceUse& whole_life);

/// Why a run that holds proves nothing: each part has to have what its own proof takes.
std::optional<std::string> LacksForProofOf(const LimitedRunSeen& run);

}  // namespace mlprof::server::phases
