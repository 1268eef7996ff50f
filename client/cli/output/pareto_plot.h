// Variants as points on a terminal: what a replica costs, against what it gives. Pure.
#pragma once

#include <string>
#include <vector>

#include "common/domain/variant_comparison.h"

namespace mlprof::client::cli {

enum class PlotAgainst {
  kLatency,     // p95: the best are at the lower left
  kThroughput,  // the best are at the upper left
};

/// A point for each proven variant, named by its rank (from 10 on by a letter), with ' behind those
/// on the Pareto front, and # where several lie; lines of 60 columns at most, the last without its
/// end. "" where there are
/// fewer than two.
std::string ParetoPlot(const std::vector<VariantResult>& results, PlotAgainst against);

}  // namespace mlprof::client::cli
