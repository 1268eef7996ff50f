#include "server/profiling/run_recorder.h"

#include <algorithm>

#include "common/json/domain_json.h"
#include "common/log/log.h"
#include "server/metrics/controller_metrics.h"

namespace mlprof {
namespace {

constexpr std::chrono::milliseconds kLiveInterval{500};

}  // namespace

RunRecorder::RunRecorder(Profile& profile, ProfileRepository& repository, EventHub& events,
                         LiveProgress& live, ControllerMetrics& metrics,
                         const MonotonicClock& clock, RunStop& run_stop)
    : profile_(profile),
      repository_(repository),
      events_(events),
      live_(live),
      metrics_(metrics),
      run_stop_(run_stop),
      stored_state_(profile.state),
      phase_started_(Now()),
      monotonic_start_(clock.Now()) {}

// `work` is one write of the repository.
template <class Work>
void RunRecorder::Write(const Work& work) {
  if (!status_) return;
  status_ = work();
  if (status_) return;
  LogError("profile record was not written",
           {{"profile", profile_.request.name}, {"why", status_.error().message()}});
  run_stop_.Ask(StopReason::kStorage, status_.error().message());
}

void RunRecorder::EnterPhase(const PhaseShare& phase, const std::string& message) {
  phase_ = phase;
  phase_started_ = Now();
  profile_.state = phase.state;
  profile_.progress = {phase.name, phase.from, message, std::nullopt};
  Write([&] { return repository_.Update(profile_, stored_state_); });
  if (status_) stored_state_ = profile_.state;
  live_.Set(profile_.id, profile_.progress);
  LogInfo("phase begins", {{"profile", profile_.request.name}, {"phase", phase.name}});
  events_.PublishStored(
      profile_.id, "phase",
      {{"phase", phase.name}, {"state", std::string(Name(phase.state))}, {"message", message}});
}

void RunRecorder::FinishPhase(const std::string& outcome) {
  profile_.progress.fraction = phase_.to;
  Write([&] {
    return repository_.FinishPhase(profile_, stored_state_,
                                   {phase_.name, phase_started_, Now(), outcome});
  });
  metrics_.PhaseFinished(phase_.name,
                         std::chrono::duration<double>(Now() - phase_started_).count());
}

void RunRecorder::Progressed(double fraction, const std::string& message) {
  const double share = std::clamp(fraction, 0.0, 1.0) * (phase_.to - phase_.from);
  profile_.progress.fraction = phase_.from + share;
  profile_.progress.message = message;
  profile_.progress.seconds_left.reset();
  if (expected_end_) {
    const std::chrono::duration<double> left = *expected_end_ - std::chrono::steady_clock::now();
    profile_.progress.seconds_left = std::max(0.0, left.count());
  }
  live_.Set(profile_.id, profile_.progress);
  events_.Publish(profile_.id, "progress", EncodeProgress(profile_.progress));
}

void RunRecorder::Live(const LiveReplay& replay, const std::optional<Sample>& last_sample) {
  const auto now = std::chrono::steady_clock::now();
  if (now - last_live_ < kLiveInterval) return;
  last_live_ = now;
  Json data = {{"requests", replay.answered},
               {"failures", replay.failures},
               {"latencyPercentile95InMs", replay.recent_p95_ms}};
  if (last_sample) {
    data["seconds"] = std::chrono::duration<double>(last_sample->at - monotonic_start_).count();
    data["memoryInBytes"] = last_sample->unreclaimable.count();
    if (previous_live_sample_ && last_sample->at > previous_live_sample_->at &&
        last_sample->cpu_time >= previous_live_sample_->cpu_time) {
      data["cpuCores"] =
          static_cast<double>((last_sample->cpu_time - previous_live_sample_->cpu_time).count()) /
          static_cast<double>((last_sample->at - previous_live_sample_->at).count());
    }
    previous_live_sample_ = last_sample;
  }
  events_.Publish(profile_.id, "sample", std::move(data));
}

void RunRecorder::Record(Trial trial, std::span<const std::uint32_t> latencies_us) {
  trial.number = ++trials_;
  const std::int64_t successes = trial.measurements.success_queries;
  metrics_.RowsReplayed(successes, trial.measurements.total_queries - successes);
  Write([&] { return repository_.AddTrial(profile_.id, trial, latencies_us); });
  events_.PublishStored(profile_.id, "trial", EncodeTrial(trial));
}

void RunRecorder::Record(std::vector<Sample> samples) {
  for (Sample& sample : samples) sample.at -= monotonic_start_;
  Write([&] { return repository_.AddSamples(profile_.id, samples); });
}

void RunRecorder::Record(std::span<const RowRecord> rows) {
  Write([&] { return repository_.SaveRows(profile_.id, rows); });
}

void RunRecorder::Log(std::string_view text) {
  Write([&] { return repository_.AppendLog(profile_.id, text); });
  events_.PublishStored(profile_.id, "log", {{"text", std::string(text)}});
}

void RunRecorder::Warn(Warning warning) {
  if (Warned(warning.code)) return;
  profile_.warnings.push_back(std::move(warning));
}

void RunRecorder::WarnAnew(Warning warning) {
  Unwarn(warning.code);
  profile_.warnings.push_back(std::move(warning));
}

void RunRecorder::Unwarn(std::string_view code) {
  std::erase_if(profile_.warnings, [&](const Warning& old) { return old.code == code; });
}

bool RunRecorder::Warned(std::string_view code) const {
  return std::any_of(profile_.warnings.begin(), profile_.warnings.end(),
                     [&](const Warning& warning) { return warning.code == code; });
}

void RunRecorder::Answer(Recommendation recommendation) {
  profile_.recommendation = std::move(recommendation);
  Write([&] { return repository_.Update(profile_, stored_state_); });
}

}  // namespace mlprof
