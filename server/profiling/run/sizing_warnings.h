// What is told of models that take as much as they are given: cores, or memory. Pure.
#pragma once

#include <vector>

#include "common/domain/profile.h"
#include "server/profiling/run/run_facts.h"

namespace mlprof::server {

/// `scalesOverCores`, `fasterWithFewerCores` and `heapByLimit`, where they are so.
std::vector<Warning> SizingWarnings(const RunFacts& facts);

}  // namespace mlprof::server
