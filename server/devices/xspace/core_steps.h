// The steps of TensorCores. Pure.
#pragma once

#include <vector>

#include "server/devices/xspace/groups.h"
#include "server/devices/xspace/steps.h"

namespace mlprof::server::xspace {

/// Those that every core has run, by number.
std::vector<Step> CoreSteps(const Trace& trace, const HostGroups& host, const TimeLimit& time);

}  // namespace mlprof::server::xspace
