// Writes a run down as it happens: state, progress, phases, trials, samples, rows, log, events.
// Used by the one thread that runs the profile; what it writes is read by others through the
// repository.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/domain/profile.h"
#include "common/domain/sample.h"
#include "common/domain/trial.h"
#include "server/profiling/event_hub.h"
#include "server/profiling/live_progress.h"
#include "server/profiling/run_stop.h"
#include "server/replay/agent_session.h"
#include "server/storage/profile_repository.h"

namespace mlprof {

class ControllerMetrics;

/// A phase's place in the whole: where its share of the progress begins and ends (0 to 1).
struct PhaseShare {
  const char* name;
  ProfileState state;
  double from;
  double to;
};

class RunRecorder {
 public:
  RunRecorder(Profile& profile, ProfileRepository& repository, EventHub& events, LiveProgress& live,
              ControllerMetrics& metrics, const MonotonicClock& clock, RunStop& run_stop);

  /// Moves the profile to the phase's state. Every phase ends with a committed record.
  void EnterPhase(const PhaseShare& phase, const std::string& message);
  void FinishPhase(const std::string& outcome);
  /// `fraction` within the phase, 0 to 1.
  void Progressed(double fraction, const std::string& message);
  /// The live line, at most twice a second.
  void Live(const LiveReplay& replay, const std::optional<Sample>& last_sample);
  void ExpectEnd(std::chrono::steady_clock::time_point when) { expected_end_ = when; }

  void Record(Trial trial, std::span<const std::uint32_t> latencies_us = {});
  /// Samples of a container that is done, on CLOCK_MONOTONIC.
  void Record(std::vector<Sample> samples);
  void Record(std::span<const RowRecord> rows);
  void Log(std::string_view text);
  /// Once a code.
  void Warn(Warning warning);
  /// In place of an earlier one of its code.
  void WarnAnew(Warning warning);
  bool Warned(std::string_view code) const;
  /// Takes one back.
  void Unwarn(std::string_view code);
  void Answer(Recommendation recommendation);

  /// The first write that failed (a full disk…). It has asked the run to stop, and nothing was
  /// written since: an answer must not be stored without what proves it.
  const Status& status() const { return status_; }
  Profile& profile() { return profile_; }
  /// The state the repository holds now.
  ProfileState stored_state() const { return stored_state_; }

 private:
  template <class Work>
  void Write(const Work& work);

  Profile& profile_;
  ProfileRepository& repository_;
  EventHub& events_;
  LiveProgress& live_;
  ControllerMetrics& metrics_;
  RunStop& run_stop_;
  Status status_;
  ProfileState stored_state_;
  PhaseShare phase_{"", ProfileState::kQueued, 0, 0};
  Timestamp phase_started_;
  std::chrono::nanoseconds monotonic_start_;  // the moment of startedTime
  std::chrono::steady_clock::time_point last_live_{};
  std::optional<std::chrono::steady_clock::time_point> expected_end_;
  std::optional<Sample> previous_live_sample_;
  int trials_ = 0;
};

}  // namespace mlprof
