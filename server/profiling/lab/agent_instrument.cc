#include "server/profiling/lab/agent_instrument.h"

#include <algorithm>

#include "server/analysis/resource_use.h"
#include "server/analysis/series.h"

namespace mlprof::server {

InstrumentKind AgentInstrument::Kind() {
  return {"agent", [] { return std::make_unique<AgentInstrument>(); }};
}

Status AgentInstrument::Begin(const ObservedContainer& container, Deadline) {
  agent_ = &container.agent;
  return {};
}

Result<std::vector<Series>> AgentInstrument::End(ContainerFacts& facts, Deadline) {
  if (!agent_->lost()) {
    // Those that the kernel killed for memory are the limit's doing, which the trial tells.
    const auto starved = static_cast<int>(agent_->Death().oom_kills);
    facts.workers_lost = std::max(0, agent_->children_lost() - starved);
    facts.workers_replaced = agent_->children_replaced();
  }
  const std::vector<Sample> samples = agent_->Samples();
  constexpr auto kFirst = std::chrono::nanoseconds::min();
  constexpr auto kLast = std::chrono::nanoseconds::max();
  const auto beyond = facts.beyond_from.value_or(kLast);
  facts.peak_unreclaimable = Summarize(Between(samples, kFirst, beyond)).peak_unreclaimable;
  if (facts.beyond_from) {
    const ResourceUse use = Summarize(Between(samples, beyond, kLast));
    if (!facts.overload) facts.overload.emplace();
    facts.overload->peak_unreclaimable = use.peak_unreclaimable;
    facts.overload->max_cores = use.max_cores;
  }
  return MakeSeries(samples);
}

}  // namespace mlprof::server
