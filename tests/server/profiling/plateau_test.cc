#include "server/profiling/phases/plateau.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "server/profiling/run/measured_need.h"
#include "server/profiling/run/warnings.h"
#include "tests/server/profiling/profiling_bench.h"

namespace mlprof::server::phases {
namespace {

using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kReachedAfter = "the recommended limit is reached after ";

// Of a run whose model leaks a KiB with each of ten rows a second.
RunFacts Leak() {
  RunFacts facts;
  facts.objective.requests_per_second = 10;
  facts.host.ceiling = {Cores(2.0), GiB(4)};
  PlateauFacts& found = facts.plateau.emplace();
  found.trend = MemoryTrend::kGrowing;
  found.requests = 5000;
  found.bytes_per_request = 1024;
  found.serving_low = MiB(100);
  return facts;
}

std::string LeakMessage(const Profile& profile) {
  for (const Warning& warning : profile.warnings) {
    if (warning.code == "leakSuspected") return warning.message;
  }
  return "";
}

// Mebibytes that leak in the time that is forecast.
double Leaked(double hours, double requests_per_second, double bytes_per_request) {
  return hours * 3600 * requests_per_second * bytes_per_request / (1024 * 1024);
}

std::optional<double> Hours(const RunFacts& facts, Bytes limit, double rate = 10) {
  return HoursToOutOfMemory(*facts.plateau, NeedOf(facts), limit, rate);
}

TEST(ForecastOutOfMemoryTest, CountsFromTheServingLevelToTheLimitLessTheAgentsOwn) {
  RunFacts facts = Leak();
  facts.starts.emplace().peaks = {MiB(700)};
  facts.warm_up.emplace().need.agent_memory = MiB(2);
  const auto hours = Hours(facts, MiB(202));
  ASSERT_TRUE(hours);
  EXPECT_NEAR(Leaked(*hours, 10, 1024), 100, 1e-6);
  EXPECT_THAT(WarningsOf(facts, hours),
              Contains(Field(&Warning::message, HasSubstr("reached after 2.84 h"))));
}

TEST(ForecastOutOfMemoryTest, FollowsTheLimit) {
  const RunFacts facts = Leak();
  EXPECT_NEAR(Leaked(*Hours(facts, MiB(300)), 10, 1024), 200, 1e-6);
  EXPECT_EQ(Hours(facts, MiB(90)), 0);
}

TEST(ForecastOutOfMemoryTest, KnowsNoTimeWithoutARate) {
  const RunFacts facts = Leak();
  const auto hours = Hours(facts, MiB(200), 0);
  EXPECT_EQ(hours, std::nullopt);
  EXPECT_THAT(WarningsOf(facts, hours),
              Contains(Field(&Warning::message, Not(HasSubstr("reached after")))));
}

TEST(ForecastOutOfMemoryTest, SaysNothingOfMemoryThatDoesNotGrow) {
  RunFacts facts = Leak();
  facts.plateau->trend = MemoryTrend::kFlat;
  EXPECT_EQ(Hours(facts, MiB(200)), std::nullopt);
  EXPECT_THAT(WarningsOf(facts, std::nullopt),
              Not(Contains(Field(&Warning::code, "leakSuspected"))));
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
  const double room = profile.recommendation->requested.memory().mib() - 200;
  const double grown = static_cast<double>(found.requests) * 16 / 1024;
  const double leaked =
      Leaked(*found.hours_to_out_of_memory, profile.measurements->queries_per_second.value(),
             *found.bytes_per_request);
  EXPECT_LE(leaked, room + 1);
  EXPECT_GE(leaked, room - 0.5 * grown);

  const std::string message = LeakMessage(profile);
  const std::size_t at = message.find(kReachedAfter);
  ASSERT_NE(at, std::string::npos) << message;
  const double minutes = std::stod(message.substr(at + kReachedAfter.size()));
  EXPECT_NEAR(minutes, *found.hours_to_out_of_memory * 60, 0.06 * minutes) << message;
}

}  // namespace
}  // namespace mlprof::server::phases
