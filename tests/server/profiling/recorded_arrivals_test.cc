// Rates whose requests come as they were recorded.
#include <gtest/gtest.h>

#include "tests/server/profiling/profiling_bench.h"

namespace mlprof::server {
namespace {

// Pairs, every fifth of a second: ten a second, two of which meet.
std::string Pairs() {
  std::string times;
  for (int i = 0; i < 50; ++i) {
    for (int twice = 0; twice < 2; ++twice) times += std::to_string(i * 0.2) + "\n";
  }
  return times;
}

ProfileRequest AskedAsRecorded(const std::string& trace) {
  ProfileRequest request = ProfilingBench::Request("p", kBudget);
  request.objective.arrivals = Arrivals::Trace(trace);
  request.objective.latency_ms = {{"p95", 100}};
  return request;
}

TEST(RecordedArrivalsTest, GiveTheRateAndTheRequestsThatMeet) {
  ProfilingBench bench;
  bench.RegisterInputs(TextRows(20));
  bench.RegisterRows("times", Pairs());
  const auto made = bench.service().Create("default", AskedAsRecorded("times"), {});
  ASSERT_TRUE(made) << made.error().message();
  const Profile profile = bench.AwaitEnd("p");
  ASSERT_EQ(profile.state, ProfileState::kSucceeded);
  EXPECT_EQ(profile.request.objective.arrivals.trace, "times:1");
  EXPECT_NEAR(profile.request.objective.requests_per_second.value_or(0), 10.1, 0.1);
  ASSERT_TRUE(profile.findings.memory);
  EXPECT_EQ(profile.findings.memory->in_flight, 2);
  EXPECT_TRUE(profile.recommendation->verified);
}

TEST(RecordedArrivalsTest, RefusesWhatIsNoTraceByItsPointer) {
  ProfilingBench bench;
  bench.RegisterInputs(TextRows(20));
  for (const std::string trace : {"d", "nothing"}) {
    const auto made = bench.service().Create("default", AskedAsRecorded(trace), {});
    ASSERT_FALSE(made);
    ASSERT_EQ(made.error().fields().size(), 1U);
    EXPECT_EQ(made.error().fields()[0].pointer, "/objective/arrivals/trace");
  }
}

}  // namespace
}  // namespace mlprof::server
