// What observes a container beside the phases, which know of none: the agent's samples, a device's
// counters… What an instrument reads is stored and shown as series, whatever they are called; how
// to add one says docs/ARCHITECTURE.md. Used by the thread that runs the profile.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/domain/series.h"
#include "common/result/result.h"
#include "common/time/deadline.h"
#include "common/time/monotonic_clock.h"
#include "server/profiling/lab/container_facts.h"
#include "server/replay/agent_session.h"
#include "server/runtime/forward/port_stream.h"

namespace mlprof::server {

/// What an instrument may look at, until its End() has returned or it is destroyed.
struct ObservedContainer {
  const std::string& container_id;  // the runtime's
  const AgentSession& agent;
  const MonotonicClock& clock;  // the run's: points have its time
  /// The GPUs that it was given, by uuid; and the TPU chips.
  std::vector<std::string> devices = {};
  std::vector<std::string> tpus = {};
  /// To be called where one of them is lost: the run ends with that. From any thread.
  std::function<void(const std::string& why)> device_lost = [](const std::string&) {};
  /// To be called where what told of one is silent for good although the model lives: likewise.
  std::function<void(const std::string& why)> metrics_lost = [](const std::string&) {};
  /// A connection to a TCP port of the model's. As Target::Connect.
  std::function<Result<std::unique_ptr<PortStream>>(int port, Deadline deadline)> connect = {};
};

/// Of one container. Its functions are called by the thread that runs the profile, which waits for
/// them: they, and destroying it, keep to their deadline. Threads that it starts are its own, and
/// destroying it ends them. What it returns as an error or throws is told
/// (`instrumentFailed`) and fails nothing else.
class Instrument {
 public:
  virtual ~Instrument() = default;

  /// The container stands; its model is not started yet. Once.
  virtual Status Begin(const ObservedContainer& container, Deadline deadline) = 0;
  /// The container is about to be removed, whatever became of its model. Gives what was read since
  /// Begin(), and sets those of the facts that this instrument alone knows. Once, and only where
  /// Begin() succeeded; not where the run ends by an exception.
  virtual Result<std::vector<Series>> End(ContainerFacts& facts, Deadline deadline) = 0;
};

/// Makes an instrument for each container.
struct InstrumentKind {
  std::string name;  // by which a failure is told: "agent"
  std::function<std::unique_ptr<Instrument>()> make;
};

/// What the instruments of one container see of it. Their failures are told in the container's
/// facts and end here.
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
