// What a run found beside its answer, from its facts. Pure.
#pragma once

#include <optional>

#include "common/domain/findings.h"
#include "common/domain/profile.h"
#include "server/analysis/malloc_arenas.h"
#include "server/analysis/memory_savings.h"
#include "server/profiling/run/run_facts.h"

namespace mlprof::server {

/// `hours`: until a model that grows is out of memory, if it does.
Findings FindingsOf(const RunFacts& facts, std::optional<double> hours);

/// What its memory is made of, as far as the run came.
MemoryMakeUp MakeUpOf(const RunFacts& facts);

/// What was seen of the model's threads and memory, and what its caller set.
ArenaEvidence ArenaEvidenceOf(const RunFacts& facts, const InferenceConfig& config);

/// What to change, in numbers: before the advice that an end for want of memory has by itself where
/// the limit was full, else behind it. Other errors stay as they are.
void AddSavings(const RunFacts& facts, ProfileError& error);

}  // namespace mlprof::server
