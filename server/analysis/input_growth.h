// Memory that a server keeps for every distinct row it has seen. Pure.
#pragma once

#include <optional>
#include <span>

#include "common/domain/findings.h"
#include "common/domain/sample.h"
#include "server/analysis/memory_plateau.h"

namespace mlprof::server {

/// `first_pass`: when so many distinct rows were sent, each for the first time. `again`: later
/// stretches over the same rows, of the same container. Growth with the inputs is a rise throughout
/// the first pass, by the rules of JudgePlateau, that goes on with less than a quarter of its slope
/// while the rows come again: a leak goes on with all of it, and what an allocator or a process
/// keeps once flattens off. nullopt too where too little was seen to tell.
std::optional<InputGrowth> JudgeInputGrowth(std::span<const Sample> samples,
                                            const RequestStretch& first_pass,
                                            std::span<const RequestStretch> again);

}  // namespace mlprof::server
