#include "server/metrics/controller_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mlprof::server {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(ControllerMetricsTest, HasTheSeriesOfEveryFinalStateFromTheStart) {
  const ControllerMetrics metrics("1.2.3");
  const std::string text = metrics.Text();
  for (const char* state : {"Succeeded", "Failed", "Canceled", "TimedOut"}) {
    EXPECT_THAT(
        text, HasSubstr("mlprof_profiles_finished_total{state=\"" + std::string(state) + "\"} 0"));
  }
  EXPECT_THAT(text, HasSubstr("mlprof_build_info{version=\"1.2.3\"} 1"));
}

TEST(ControllerMetricsTest, CountsRequestsByRouteMethodAndStatus) {
  ControllerMetrics metrics("1");
  metrics.HttpServed("/models/{id}", "GET", 200, 0.002);
  metrics.HttpServed("/models/{id}", "GET", 200, 0.002);
  EXPECT_THAT(metrics.Text(), HasSubstr("mlprof_http_requests_total{method=\"GET\",route=\"/models/"
                                        "{id}\",status=\"200\"} 2"));
}

TEST(ControllerMetricsTest, CountsConnectionsTurnedAwayByReason) {
  ControllerMetrics metrics("1");
  metrics.ConnectionTurnedAway("idle");
  const std::string text = metrics.Text();
  EXPECT_THAT(text, HasSubstr("mlprof_http_connections_turned_away_total{reason=\"idle\"} 1"));
  EXPECT_THAT(text, HasSubstr("mlprof_http_connections_turned_away_total{reason=\"busy\"} 0"));
}

TEST(ControllerMetricsTest, GivesUnknownMethodsOneLabel) {
  ControllerMetrics metrics("1");
  metrics.HttpServed("", "BREW", 405, 0);
  const std::string text = metrics.Text();
  EXPECT_THAT(text, Not(HasSubstr("BREW")));
  EXPECT_THAT(text, HasSubstr("method=\"other\",route=\"none\""));
}

TEST(ControllerMetricsTest, ShowsQueuePhasesReplaysDatabaseAndDocker) {
  ControllerMetrics metrics("1");
  metrics.SetQueueLength(3);
  metrics.SetRunningProfiles(1);
  metrics.PhaseFinished("warmUp", 4);
  metrics.RowsReplayed(10, 2);
  metrics.DatabaseWritten(std::chrono::milliseconds(2));
  metrics.SetStoredBytes("images", MiB(1));
  metrics.DockerCalled("create", "ok", 0.1);
  const std::string text = metrics.Text();
  EXPECT_THAT(text, HasSubstr("mlprof_queue_length_profiles 3"));
  EXPECT_THAT(text, HasSubstr("mlprof_running_profiles 1"));
  EXPECT_THAT(text, HasSubstr("mlprof_phase_duration_seconds_sum{phase=\"warmUp\"} 4"));
  EXPECT_THAT(text, HasSubstr("mlprof_replay_requests_total{outcome=\"failure\"} 2"));
  EXPECT_THAT(text, HasSubstr("mlprof_sqlite_write_seconds_count 1"));
  EXPECT_THAT(text, HasSubstr("mlprof_stored_bytes{kind=\"images\"} 1048576"));
  EXPECT_THAT(text, HasSubstr("mlprof_docker_calls_total{operation=\"create\",outcome=\"ok\"} 1"));
}

}  // namespace
}  // namespace mlprof::server
