#include "server/profiling/queue/event_announcer.h"

#include "common/json/domain_json.h"
#include "common/log/log.h"
#include "server/metrics/controller_metrics.h"

namespace mlprof::server {
namespace {

constexpr std::chrono::milliseconds kBetweenLines{500};

}  // namespace

EventAnnouncer::EventAnnouncer(const Profile& profile, EventHub& events, LiveProgress& live,
                               ControllerMetrics& metrics, const MonotonicClock& clock)
    : profile_id_(profile.id),
      events_(events),
      live_(live),
      metrics_(metrics),
      began_(clock.Now()) {}

void EventAnnouncer::PhaseBegan(const Profile& profile) {
  const Progress& progress = profile.progress;
  live_.Set(profile_id_, progress);
  LogInfo("phase begins", {{"profile", profile.request.name}, {"phase", progress.phase}});
  events_.PublishStored(profile_id_, "phase",
                        {{"phase", progress.phase},
                         {"state", std::string(Name(profile.state))},
                         {"message", progress.message}});
}

void EventAnnouncer::PhaseEnded(const std::string& phase, std::chrono::duration<double> took) {
  metrics_.PhaseFinished(phase, took.count());
}

void EventAnnouncer::Progressed(const Progress& progress) {
  live_.Set(profile_id_, progress);
  events_.Publish(profile_id_, "progress", EncodeProgress(progress));
}

void EventAnnouncer::Replaying(const LiveReplay& replay, const std::optional<Sample>& last_sample) {
  const auto now = std::chrono::steady_clock::now();
  if (now - last_line_ < kBetweenLines) return;
  last_line_ = now;
  Json data = {{"requests", replay.responses},
               {"failures", replay.failures},
               {"latencyPercentile95InMs", replay.recent_p95_ms}};
  if (last_sample) {
    data["seconds"] = std::chrono::duration<double>(last_sample->at - began_).count();
    data["memoryInBytes"] = last_sample->unreclaimable.count();
    const auto& before = sample_of_last_line_;
    if (before && last_sample->at > before->at && last_sample->cpu_time >= before->cpu_time) {
      data["cpuCores"] = static_cast<double>((last_sample->cpu_time - before->cpu_time).count()) /
                         static_cast<double>((last_sample->at - before->at).count());
    }
    sample_of_last_line_ = last_sample;
  }
  events_.Publish(profile_id_, "sample", std::move(data));
}

void EventAnnouncer::TrialDone(const Trial& trial) {
  const std::int64_t successes = trial.measurements.success_queries;
  metrics_.RowsReplayed(successes, trial.measurements.total_queries - successes);
  events_.PublishStored(profile_id_, "trial", EncodeTrial(trial));
}

void EventAnnouncer::Logged(std::string_view text) {
  events_.PublishStored(profile_id_, "log", {{"text", std::string(text)}});
}

}  // namespace mlprof::server
