// The first instrument: the samples that the agent takes within the container.
#pragma once

#include "server/profiling/lab/instrument.h"

namespace mlprof::server {

class AgentInstrument final : public Instrument {
 public:
  static InstrumentKind Kind();

  Status Begin(const ObservedContainer& container, Deadline deadline) override;
  /// Sets the peak of memory and the workers lost.
  Result<std::vector<Series>> End(ContainerFacts& facts, Deadline deadline) override;

 private:
  const AgentSession* agent_ = nullptr;
};

}  // namespace mlprof::server
