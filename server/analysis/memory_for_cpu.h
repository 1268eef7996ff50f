// A heap of which the limit sizes a part shows in what requests cost, and may show in nothing else:
// V8's young objects are collected more often under 4 GiB than with more, with the same memory in
// use. Pure.
#pragma once

#include <optional>
#include <vector>

#include "server/analysis/recommend.h"

namespace mlprof::server {

/// What a request's CPU was with some limits, over what it is with all memory.
struct CostAt {
  Limits limits;
  double cost;
};

/// Of the most memory below `answer` that fell short, or held at such a cost (`paid`): what
/// requests cost with it, where that is a tenth more than `cost_at_answer`. nullopt where it fell
/// short of something else, on a busy host, or with less CPU, of which nothing is known of the
/// cost.
std::optional<CostAt> DearerWithLess(const std::vector<FailedTry>& failed,
                                     const std::vector<CostAt>& paid, const Limits& answer,
                                     double cost_at_answer);

}  // namespace mlprof::server
