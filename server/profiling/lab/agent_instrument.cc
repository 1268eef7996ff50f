#include "server/profiling/lab/agent_instrument.h"

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
  if (!agent_->lost()) facts.workers_lost = agent_->children_lost();
  const std::vector<Sample> samples = agent_->Samples();
  facts.peak_unreclaimable = Summarize(samples).peak_unreclaimable;
  return MakeSeries(samples);
}

}  // namespace mlprof::server
