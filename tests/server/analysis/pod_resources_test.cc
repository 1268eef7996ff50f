#include "server/analysis/pod_resources.h"

#include <gtest/gtest.h>

#include <vector>

namespace mlprof::server {
namespace {

const Limits kAnswer{Cores(1.0), MiB(208)};

CpuPoint MeasuredPoint(double cores, double throttled, std::optional<double> p99_ms = {}) {
  CpuPoint point;
  point.cpu = Cores(cores);
  point.throttled_share = throttled;
  point.p99_ms = p99_ms;
  return point;
}

TEST(PodResourcesTest, RequestTheMeanUseRoundedUp) {
  EXPECT_EQ(PodResourcesOf(kAnswer, {0.421}, {}, {}).requests_cpu, Cores(0.43));
  EXPECT_EQ(PodResourcesOf(kAnswer, {0.001}, {}, {}).requests_cpu, Cores(0.01));
}

TEST(PodResourcesTest, NeverRequestMoreThanTheAnswer) {
  EXPECT_EQ(PodResourcesOf(kAnswer, {1.004}, {}, {}).requests_cpu, Cores(1.0));
}

TEST(PodResourcesTest, LimitCpuToTheAnswerWhereItsQuotaStopsNothing) {
  const PodResources pod = PodResourcesOf(kAnswer, {0.5, 0.005}, {}, Cores(1.5));
  EXPECT_EQ(pod.limits_cpu, Cores(1.0));
  EXPECT_EQ(pod.memory, MiB(208));
  EXPECT_EQ(pod.startup_cpu, Cores(1.5));
}

TEST(PodResourcesTest, LimitCpuToTheLeastThatStopsNothingAndSayWhatTheAnswerCosts) {
  const std::vector<CpuPoint> points = {MeasuredPoint(2.0, 0, 21), MeasuredPoint(0.9, 0),
                                        MeasuredPoint(1.0, 0.4), MeasuredPoint(1.3, 0.002, 22)};
  const PodResources pod = PodResourcesOf(kAnswer, {0.5, 0.4, 90}, points, {});
  EXPECT_EQ(pod.limits_cpu, Cores(1.3));
  EXPECT_EQ(pod.because,
            "at 1.0 cores the quota stopped the model in 40% of its periods, and p99 was 90 ms; at "
            "1.3 cores it stopped next to nothing (p99 22 ms)");
}

TEST(PodResourcesTest, SetNoLimitWhereNoneThatWasTriedStoppedNothing) {
  const std::vector<CpuPoint> points = {MeasuredPoint(1.0, 0.4), MeasuredPoint(2.0, 0.1)};
  const PodResources pod = PodResourcesOf(kAnswer, {0.5, 0.4}, points, {});
  EXPECT_EQ(pod.limits_cpu, std::nullopt);
  EXPECT_NE(pod.because.find("set none"), std::string::npos) << pod.because;
}

TEST(BoundOfUnseenTest, IsThreeByTheNumberOfRequests) {
  EXPECT_EQ(BoundOfUnseen(3000)->upper_bound, 0.001);
  EXPECT_EQ(BoundOfUnseen(2)->upper_bound, 1);
  EXPECT_EQ(BoundOfUnseen(0), std::nullopt);
}

}  // namespace
}  // namespace mlprof::server
