#include "server/analysis/memory_for_cpu.h"

#include "server/analysis/heap.h"

namespace mlprof::server {
namespace {

struct Nearest {
  Limits limits;
  std::optional<double> cost;  // where that is why it fell short, and tells of memory
};

}  // namespace

std::optional<CostAt> DearerWithLess(const std::vector<FailedTry>& failed,
                                     const std::vector<CostAt>& paid, const Limits& answer,
                                     double cost_at_answer) {
  std::optional<Nearest> nearest;
  const auto see = [&](const Limits& limits, std::optional<double> cost) {
    const Bytes memory = limits.memory();
    if (memory >= answer.memory()) return;
    if (nearest && memory < nearest->limits.memory()) return;
    // What CPU does to a request's cost tells nothing of memory.
    if (limits.cpu() < answer.cpu()) cost.reset();
    if (!nearest || memory > nearest->limits.memory() || cost) nearest = Nearest{limits, cost};
  };
  for (const FailedTry& attempt : failed) {
    if (attempt.shortage != ResourceKind::kMemory || attempt.disturbed) continue;
    see(attempt.limits, attempt.collecting_cost);
  }
  for (const CostAt& seen : paid) see(seen.limits, seen.cost);
  const bool dearer = nearest && nearest->cost.value_or(0) > kClearlyDearer * cost_at_answer;
  return dearer ? std::optional(CostAt{nearest->limits, *nearest->cost}) : std::nullopt;
}

}  // namespace mlprof::server
