// The steps of a trace as the tools tell of them. Pure.
#pragma once

#include "common/json/json.h"
#include "server/devices/xspace/bottleneck.h"
#include "server/devices/xspace/steps.h"

namespace mlprof::server::xspace {

Json SummaryJson(const Summary& summary);
/// The time of the steps, and of each what it was spent on, averaged over them.
Json StepTimesJson(const StepTable& table);
/// The first 10,000 steps.
Json StepListJson(const StepTable& table);
Json BottleneckJson(const Bottleneck& bottleneck);

}  // namespace mlprof::server::xspace
