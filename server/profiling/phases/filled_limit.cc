#include "server/profiling/phases/filled_limit.h"

namespace mlprof::server::phases {
namespace {

// What was in use at once, as it counts against the limit; nothing where that was not measured.
std::optional<Amount> PeakOf(const ResourceUse& use, ResourceKind resource) {
  if (resource != ResourceKind::kMemory || !use.peak_unreclaimable) return std::nullopt;
  return *use.peak_unreclaimable + use.peak_agent_memory;
}

// Equal runs with room to spare differ by 1 to 2%. Chosen.
constexpr double kClearlyLess = 0.97;

}  // namespace

bool MayBecomeAnswer(const Yardstick& yardstick, const LimitedRun& run, ResourceKind resource) {
  return LeavesRoom(yardstick, run, run.trial.limits, resource);
}

bool LeavesRoom(const Yardstick& yardstick, const LimitedRun& run, const Limits& limits,
                ResourceKind resource) {
  const Workload& workload = yardstick.workload;
  // Successors of all workers at once are rare, and no run need have met them.
  if (resource == ResourceKind::kMemory && limits.memory() < workload.least_memory) return false;
  // Another container, whose pages lie otherwise, may thrash where this one had just enough of
  // them.
  if (resource == ResourceKind::kMemory && run.read_back.often()) return false;
  // Rows that were not sent have kept nothing yet.
  if (workload.grows_with_inputs && !run.saw_all_rows) return false;
  const auto limit = limits.Find(resource);
  const auto used = PeakOf(run.use, resource);
  return limit && used && *used <= PercentOf(*limit, kFullestPercent);
}

bool TookLessWhereFull(const Yardstick& yardstick, const LimitedRun& run) {
  const auto& took = run.use.peak_unreclaimable;
  if (!took || *took >= Scale(yardstick.at_ceiling.memory, kClearlyLess)) return false;
  const Amount limit = run.trial.limits.memory();
  const Bytes with_files = *took + run.use.peak_agent_memory + run.use.peak_cache.value_or(Bytes());
  return with_files > PercentOf(limit, kFullestPercent).bytes();
}

}  // namespace mlprof::server::phases
