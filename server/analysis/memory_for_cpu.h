// A heap that its limit sizes shows in what requests cost with less memory, where the answer's is
// used as all memory is: Node takes as much with 4 GiB as with 22, and collects more often with
// less. Pure.
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
