// Memory for as many requests at once as a rate brings together.
#include <gmock/gmock.h>

#include <algorithm>

#include "server/profiling/phases/load.h"
#include "tests/server/profiling/profiling_bench.h"

namespace mlprof::server::phases {
namespace {

using ::testing::HasSubstr;

Profile AtARate(const FakeModel& model, const Objective& objective) {
  ProfilingBench bench(model);
  bench.RegisterInputs(TextRows(20));
  ProfileRequest request = bench.Request("p", std::chrono::seconds(300));
  request.objective = objective;
  EXPECT_TRUE(bench.service().Create("default", request, {}).has_value());
  return bench.AwaitEnd("p");
}

Objective FiveASecond(const Arrivals& arrivals) {
  Objective objective;
  objective.requests_per_second = 5;
  objective.arrivals = arrivals;
  objective.latency_ms = {{"p95", 500}};
  return objective;
}

FakeModel HoldingTenMiBForEachThatWaits() {
  FakeModel model;
  model.cpu_per_row = std::chrono::milliseconds(20);
  model.per_waiting_row = MiB(10);
  return model;
}

TEST(RateInFlightTest, MemoryHoldsTheRequestsThatMeetOnceInTenThousandArrivals) {
  const Profile profile = AtARate(HoldingTenMiBForEachThatWaits(), FiveASecond(Arrivals::kPoisson));
  const Recommendation& answer = profile.recommendation.value();
  ASSERT_TRUE(answer.verified);
  const int in_flight = profile.findings.memory->in_flight.value();
  EXPECT_GE(in_flight, 4);  // Poisson of mean 0.1, and the arrival itself
  EXPECT_GE(answer.requested.memory(), MiB(200 + 10 * (in_flight - 1)));
  EXPECT_THAT(answer.bounds.Find(ResourceKind::kMemory)->reason, HasSubstr("requests in flight"));
}

TEST(RateInFlightTest, BurstsTakeMoreThanEvenlySpacedRequests) {
  const FakeModel model = HoldingTenMiBForEachThatWaits();
  const Profile even = AtARate(model, FiveASecond(Arrivals::kConstant));
  const Profile bursts = AtARate(model, FiveASecond(Arrivals::Gamma(3)));
  ASSERT_TRUE(even.recommendation->verified);
  EXPECT_EQ(even.findings.memory->in_flight, 1);
  EXPECT_GT(bursts.findings.memory->in_flight.value(), 6);
  EXPECT_GT(bursts.recommendation->requested.memory(), even.recommendation->requested.memory());
}

TEST(RateInFlightTest, CountsThoseThatMeetAtTheLimitWhereRequestsStayLonger) {
  const Objective objective = FiveASecond(Arrivals::kPoisson);
  const Profile profile = AtARate(HoldingTenMiBForEachThatWaits(), objective);
  const Recommendation& answer = profile.recommendation.value();
  ASSERT_LT(answer.requested.cpu(), Cores(0.5));
  const auto at_answer =
      std::find_if(answer.curve.begin(), answer.curve.end(),
                   [&](const CpuPoint& point) { return point.cpu == answer.requested.cpu(); });
  ASSERT_NE(at_answer, answer.curve.end());
  const int there = InFlightOf(objective, at_answer->mean_ms);
  ASSERT_GT(there, InFlightOf(objective, 25)) << "of 20 ms a row at the ceiling";
  EXPECT_GE(profile.findings.memory->in_flight.value(), there);
}

TEST(RateInFlightTest, IsNotToldOfAClosedLoop) {
  EXPECT_EQ(AtARate({}, {}).findings.memory->in_flight, std::nullopt);
}

}  // namespace
}  // namespace mlprof::server::phases
