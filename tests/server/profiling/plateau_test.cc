#include "server/profiling/phases/plateau.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/server/profiling/bare_run.h"
#include "tests/server/profiling/profiling_bench.h"

namespace mlprof::phases {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kReachedAfter = "the recommended limit is reached after ";

MemoryFindings Leak() {
  MemoryFindings found;
  found.trend = MemoryTrend::kGrowing;
  found.requests = 5000;
  found.bytes_per_request = 1024;
  found.serving_low = MiB(100);
  return found;
}

std::string LeakMessage(const Profile& profile) {
  for (const Warning& warning : profile.warnings) {
    if (warning.code == "leakSuspected") return warning.message;
  }
  return "";
}

// Mebibytes that leak in the time that is forecast.
double Leaked(const MemoryFindings& found, double requests_per_second) {
  return *found.hours_to_out_of_memory * 3600 * requests_per_second * *found.bytes_per_request /
         (1024 * 1024);
}

TEST(ForecastOutOfMemoryTest, CountsFromTheServingLevelToTheLimit) {
  BareRun run;
  run.profile().request.objective.requests_per_second = 10;
  run.profile().findings.memory = Leak();
  run.context().observed.need.start_peak = MiB(700);
  run.context().observed.need.agent_memory = MiB(2);
  ForecastOutOfMemory(run.context(), MiB(202));
  ASSERT_TRUE(run.profile().findings.memory->hours_to_out_of_memory);
  EXPECT_NEAR(Leaked(*run.profile().findings.memory, 10), 100, 1e-6);
  EXPECT_THAT(LeakMessage(run.profile()), HasSubstr("reached after 2.84 h"));
}

TEST(ForecastOutOfMemoryTest, FollowsTheLimitInWordsToo) {
  BareRun run;
  run.profile().request.objective.requests_per_second = 10;
  run.profile().findings.memory = Leak();
  ForecastOutOfMemory(run.context(), MiB(300));
  ForecastOutOfMemory(run.context(), MiB(200));
  EXPECT_NEAR(Leaked(*run.profile().findings.memory, 10), 100, 1e-6);
  EXPECT_EQ(run.profile().warnings.size(), 1U);
  EXPECT_THAT(LeakMessage(run.profile()), HasSubstr("reached after 2.84 h"));
  ForecastOutOfMemory(run.context(), MiB(90));
  EXPECT_EQ(run.profile().findings.memory->hours_to_out_of_memory, 0);
}

TEST(ForecastOutOfMemoryTest, KnowsNoTimeWithoutARate) {
  BareRun run;
  run.profile().findings.memory = Leak();
  ForecastOutOfMemory(run.context(), MiB(200));
  EXPECT_FALSE(run.profile().findings.memory->hours_to_out_of_memory);
  EXPECT_THAT(LeakMessage(run.profile()), Not(HasSubstr("reached after")));
}

TEST(ForecastOutOfMemoryTest, SaysNothingOfMemoryThatDoesNotGrow) {
  BareRun run;
  ForecastOutOfMemory(run.context(), MiB(200));
  run.profile().findings.memory = Leak();
  run.profile().findings.memory->trend = MemoryTrend::kFlat;
  ForecastOutOfMemory(run.context(), MiB(200));
  EXPECT_FALSE(run.profile().findings.memory->hours_to_out_of_memory);
  EXPECT_TRUE(run.profile().warnings.empty());
}

TEST(PlateauTest, ForecastsForTheLimitThatIsRecommendedInTheEnd) {
  FakeModel model;
  model.leak_per_row = KiB(16);
  ProfilingBench bench(model);
  bench.RegisterInputs(TextRows(20));
  const auto request = bench.Request("p", std::chrono::seconds(300));
  ASSERT_TRUE(bench.service().Create("default", request, {}).has_value());
  const Profile profile = bench.AwaitEnd("p");
  ASSERT_EQ(profile.state, ProfileState::kSucceeded)
      << (profile.error ? profile.error->message : "");
  ASSERT_TRUE(profile.recommendation->verified);
  const MemoryFindings& found = profile.findings.memory.value();
  ASSERT_TRUE(found.hours_to_out_of_memory && found.bytes_per_request);
  // A container serves its first row with 200 MiB; the first rows are not judged.
  const double room = profile.recommendation->requested.memory.mib() - 200;
  const double grown = static_cast<double>(found.requests) * 16 / 1024;
  const double leaked = Leaked(found, profile.measurements->queries_per_second.value());
  EXPECT_LE(leaked, room + 1);
  EXPECT_GE(leaked, room - 0.5 * grown);

  const std::string message = LeakMessage(profile);
  const std::size_t at = message.find(kReachedAfter);
  ASSERT_NE(at, std::string::npos) << message;
  const double minutes = std::stod(message.substr(at + kReachedAfter.size()));
  EXPECT_NEAR(minutes, *found.hours_to_out_of_memory * 60, 0.06 * minutes) << message;
}

}  // namespace
}  // namespace mlprof::phases
