// Announces over the hub of events, the live progress and the metrics.
#pragma once

#include "common/time/monotonic_clock.h"
#include "server/profiling/progress/reporting.h"
#include "server/profiling/queue/event_hub.h"
#include "server/profiling/queue/live_progress.h"

namespace mlprof::server {

class ControllerMetrics;

class EventAnnouncer final : public Announcer {
 public:
  /// All must outlive it. The run begins now, on `clock`.
  EventAnnouncer(const Profile& profile, EventHub& events, LiveProgress& live,
                 ControllerMetrics& metrics, const MonotonicClock& clock);

  void PhaseBegan(const Profile& profile) override;
  void PhaseEnded(const std::string& phase, std::chrono::duration<double> took) override;
  void Progressed(const Progress& progress) override;
  void Replaying(const LiveReplay& replay, const std::optional<Sample>& last_sample) override;
  void TrialDone(const Trial& trial) override;
  void Logged(std::string_view text) override;

 private:
  const std::string profile_id_;
  EventHub& events_;
  LiveProgress& live_;
  ControllerMetrics& metrics_;
  const std::chrono::nanoseconds began_;
  std::chrono::steady_clock::time_point last_line_{};
  std::optional<Sample> sample_of_last_line_;
};

}  // namespace mlprof::server
