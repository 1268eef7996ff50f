// That a quota stops the slowest requests, where the answer holds all the same or is what it is for
// them. Pure.
#pragma once

#include <optional>

#include "common/domain/profile.h"
#include "server/profiling/run/run_facts.h"

namespace mlprof::server {

/// `tailThrottled`; nullopt where the quota stops no request that matters.
std::optional<Warning> TailWarning(const RunFacts& facts);

}  // namespace mlprof::server
