// What each CPU limit gave that was tried, as a table. Pure.
#pragma once

#include <vector>

#include "client/cli/output/details.h"
#include "common/domain/findings.h"

namespace mlprof::client::cli {

/// A line for each limit; nothing where fewer than two were tried.
void WriteCurve(const std::vector<CpuPoint>& curve, Details& details);

}  // namespace mlprof::client::cli
