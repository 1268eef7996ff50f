// What the instruments of one container see of it. Their failures are told in the container's facts
// and end here.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "server/profiling/lab/instrument.h"

namespace mlprof::server {

class Observation {
 public:
  /// Makes an instrument of each kind and begins it. What `container` names must outlive this.
  Observation(const std::vector<InstrumentKind>& kinds, const ObservedContainer& container,
              Deadline deadline);

  /// Ends the instruments, in the order of their kinds, and gives what they read, times on the
  /// run's clock. A series whose name one before it has is left out and told as a failure. Once.
  std::vector<Series> End(ContainerFacts& facts, Deadline deadline);

 private:
  struct Begun {
    std::string name;
    std::unique_ptr<Instrument> instrument;
  };

  void Keep(const std::string& instrument, Series series, std::vector<Series>& all);
  void Tell(const std::string& instrument, const std::string& why);

  const ObservedContainer container_;  // instruments may look at it until they end
  std::vector<Begun> begun_;
  std::vector<InstrumentFailure> failures_;
};

}  // namespace mlprof::server
