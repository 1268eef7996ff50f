// What is to be said of the devices of a run. Pure.
#pragma once

#include <vector>

#include "common/domain/warning.h"
#include "server/profiling/run/run_facts.h"

namespace mlprof::server {

std::vector<Warning> DeviceWarnings(const RunFacts& facts);

}  // namespace mlprof::server
