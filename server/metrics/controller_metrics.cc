#include "server/metrics/controller_metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <array>

namespace mlprof::server {
namespace {

using prometheus::Histogram;

const Histogram::BucketBoundaries kCallSeconds = {0.001, 0.005, 0.01, 0.05, 0.1, 0.5,
                                                  1,     5,     10,   30,   60};
const Histogram::BucketBoundaries kWriteSeconds = {0.0001, 0.0005, 0.001, 0.005, 0.01,
                                                   0.05,   0.1,    0.5,   1,     5};
const Histogram::BucketBoundaries kPhaseSeconds = {0.5, 1, 2, 5, 10, 20, 60, 120, 300, 600, 1800};

template <class Builder>
auto& Make(prometheus::Registry& registry, Builder builder, const char* name, const char* help) {
  return builder.Name(name).Help(help).Register(registry);
}

// A client may send any word as a method; only known ones become a label.
std::string MethodLabel(std::string_view method) {
  for (const char* known : {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}) {
    if (method == known) return known;
  }
  return "other";
}

}  // namespace

struct ControllerMetrics::Families {
  prometheus::Registry registry;
  prometheus::Family<prometheus::Gauge>& build =
      Make(registry, prometheus::BuildGauge(), "mlprof_build_info", "1, labelled by the version");
  prometheus::Gauge& queued = Make(registry, prometheus::BuildGauge(),
                                   "mlprof_queue_length_profiles", "Profiles that wait to be run")
                                  .Add({});
  prometheus::Gauge& running = Make(registry, prometheus::BuildGauge(), "mlprof_running_profiles",
                                    "Profiles that are being run")
                                   .Add({});
  prometheus::Family<prometheus::Counter>& finished =
      Make(registry, prometheus::BuildCounter(), "mlprof_profiles_finished_total",
           "Profiles that ended, by final state");
  prometheus::Family<Histogram>& phases =
      Make(registry, prometheus::BuildHistogram(), "mlprof_phase_duration_seconds",
           "Time each phase of a profile took");
  prometheus::Family<prometheus::Counter>& replayed =
      Make(registry, prometheus::BuildCounter(), "mlprof_replay_requests_total",
           "Rows sent to models, by outcome");
  prometheus::Family<prometheus::Counter>& http =
      Make(registry, prometheus::BuildCounter(), "mlprof_http_requests_total",
           "Requests answered, by route, method and status");
  prometheus::Family<Histogram>& http_seconds =
      Make(registry, prometheus::BuildHistogram(), "mlprof_http_request_duration_seconds",
           "Time to answer a request, by route and method");
  prometheus::Family<prometheus::Counter>& turned_away =
      Make(registry, prometheus::BuildCounter(), "mlprof_http_connections_turned_away_total",
           "Connections closed or refused because there were too many, by reason");
  prometheus::Family<prometheus::Gauge>& stored =
      Make(registry, prometheus::BuildGauge(), "mlprof_stored_bytes",
           "What is kept on the disk, as of the last look at it, by kind");
  Histogram& writes = Make(registry, prometheus::BuildHistogram(), "mlprof_sqlite_write_seconds",
                           "Time of write transactions, waiting for the writer not counted")
                          .Add({}, kWriteSeconds);
  prometheus::Family<prometheus::Counter>& docker =
      Make(registry, prometheus::BuildCounter(), "mlprof_docker_calls_total",
           "Calls to the Docker engine, by operation and outcome");
  prometheus::Family<Histogram>& docker_seconds =
      Make(registry, prometheus::BuildHistogram(), "mlprof_docker_call_duration_seconds",
           "Time of calls to the Docker engine, by operation");
};

ControllerMetrics::ControllerMetrics(const std::string& version)
    : families_(std::make_unique<Families>()) {
  families_->build.Add({{"version", version}}).Set(1);
  // Series exist from the start, so that a rate over the first event is right.
  for (const auto state : {ProfileState::kSucceeded, ProfileState::kFailed, ProfileState::kCanceled,
                           ProfileState::kTimedOut}) {
    families_->finished.Add({{"state", std::string(Name(state))}});
  }
  for (const char* reason : {"idle", "busy", "descriptors"}) {
    families_->turned_away.Add({{"reason", reason}});
  }
  RowsReplayed(0, 0);
}

ControllerMetrics::~ControllerMetrics() = default;

void ControllerMetrics::SetQueueLength(std::int64_t profiles) {
  families_->queued.Set(static_cast<double>(profiles));
}

void ControllerMetrics::SetRunningProfiles(std::int64_t profiles) {
  families_->running.Set(static_cast<double>(profiles));
}

void ControllerMetrics::ProfileFinished(ProfileState state) {
  families_->finished.Add({{"state", std::string(Name(state))}}).Increment();
}

void ControllerMetrics::PhaseFinished(std::string_view phase, double seconds) {
  families_->phases.Add({{"phase", std::string(phase)}}, kPhaseSeconds).Observe(seconds);
}

void ControllerMetrics::RowsReplayed(std::int64_t successes, std::int64_t failures) {
  families_->replayed.Add({{"outcome", "success"}}).Increment(static_cast<double>(successes));
  families_->replayed.Add({{"outcome", "failure"}}).Increment(static_cast<double>(failures));
}

void ControllerMetrics::HttpServed(std::string_view route, std::string_view method, int status,
                                   double seconds) {
  const std::string route_label = route.empty() ? "none" : std::string(route);
  const std::string method_label = MethodLabel(method);
  families_->http
      .Add({{"route", route_label}, {"method", method_label}, {"status", std::to_string(status)}})
      .Increment();
  families_->http_seconds.Add({{"route", route_label}, {"method", method_label}}, kCallSeconds)
      .Observe(seconds);
}

void ControllerMetrics::ConnectionTurnedAway(std::string_view reason) {
  families_->turned_away.Add({{"reason", std::string(reason)}}).Increment();
}

void ControllerMetrics::SetStoredBytes(std::string_view kind, Bytes size) {
  families_->stored.Add({{"kind", std::string(kind)}}).Set(static_cast<double>(size.count()));
}

void ControllerMetrics::DatabaseWritten(std::chrono::nanoseconds time) {
  families_->writes.Observe(std::chrono::duration<double>(time).count());
}

void ControllerMetrics::DockerCalled(std::string_view operation, std::string_view outcome,
                                     double seconds) {
  families_->docker.Add({{"operation", std::string(operation)}, {"outcome", std::string(outcome)}})
      .Increment();
  families_->docker_seconds.Add({{"operation", std::string(operation)}}, kCallSeconds)
      .Observe(seconds);
}

std::string ControllerMetrics::Text() const {
  return prometheus::TextSerializer{}.Serialize(families_->registry.Collect());
}

}  // namespace mlprof::server
