#include "server/profiling/phases/soak.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "tests/server/profiling/profiling_bench.h"

namespace mlprof::server::phases {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;

struct Soaked {
  Profile profile;
  std::vector<Trial> soaks;

  std::string Said(const std::string& code) const {
    for (const Warning& warning : profile.warnings) {
      if (warning.code == code) return warning.message;
    }
    return "";
  }
};

Soaked SoakedFor(const FakeModel& model, seconds soak, seconds budget = seconds(300),
                 bool budget_given = false, const Objective& objective = {}) {
  ProfilingBench bench(model);
  bench.RegisterInputs(TextRows(20));
  ProfileRequest request = bench.Request("p", budget);
  request.budget_given = budget_given;
  request.soak = soak;
  request.objective = objective;
  EXPECT_TRUE(bench.service().Create("default", request, {}).has_value());
  Soaked soaked{bench.AwaitEnd("p"), {}};
  for (Trial& trial : bench.service().Trials("default", "p").value_or(std::vector<Trial>())) {
    if (trial.purpose == TrialPurpose::kSoak) soaked.soaks.push_back(std::move(trial));
  }
  return soaked;
}

double SecondsOf(const Soaked& soaked) {
  double sum = 0;
  for (const Trial& trial : soaked.soaks) sum += trial.seconds;
  return sum;
}

// 50 rows a second.
FakeModel Slow() {
  FakeModel model;
  model.cpu_per_row = std::chrono::milliseconds(20);
  return model;
}

TEST(SoakTest, LoadsTheAnswerForAsLongAsAskedBesideTheBudget) {
  const Soaked soaked = SoakedFor(Slow(), seconds(600));
  const Recommendation& answer = soaked.profile.recommendation.value();
  EXPECT_TRUE(answer.verified);
  EXPECT_NEAR(SecondsOf(soaked), 600, 1);
  for (const Trial& trial : soaked.soaks) EXPECT_EQ(trial.limits, answer.requested);
  EXPECT_EQ(soaked.Said("soakCutShort"), "");
  EXPECT_GT(answer.rare_events->requests, 29'900);
  EXPECT_NEAR(answer.rare_events->upper_bound * static_cast<double>(answer.rare_events->requests),
              3, 1e-6);
}

TEST(SoakTest, KeepsARateForAsLongAsAsked) {
  for (const Arrivals& arrivals : {Arrivals::kPoisson, Arrivals::kConstant}) {
    Objective objective;
    objective.requests_per_second = 2;
    objective.arrivals = arrivals;
    objective.latency_ms = {{"p95", 500}};
    const Soaked soaked = SoakedFor(Slow(), seconds(600), seconds(300), false, objective);
    EXPECT_TRUE(soaked.profile.recommendation->verified);
    EXPECT_EQ(soaked.Said("soakCutShort"), "");
    EXPECT_LE(soaked.soaks.size(), 21U);
    std::int64_t requests = 0;
    for (const Trial& trial : soaked.soaks) requests += trial.measurements.total_queries;
    EXPECT_NEAR(static_cast<double>(requests), 1200, 120);
  }
}

TEST(SoakTest, IsNotDoneUnlessAskedFor) {
  EXPECT_TRUE(SoakedFor(Slow(), seconds(0)).soaks.empty());
}

TEST(SoakTest, ABudgetThatSomebodyNamedBoundsItAndThatIsSaid) {
  const Soaked soaked = SoakedFor(Slow(), seconds(600), seconds(300), true);
  EXPECT_TRUE(soaked.profile.recommendation->verified);
  EXPECT_LT(SecondsOf(soaked), 300);
  EXPECT_THAT(soaked.Said("soakCutShort"), HasSubstr("of 600 s"));
}

TEST(SoakTest, SaysThatItIsLeftOutWhereTheAnswerIsNotVerified) {
  const Soaked soaked = SoakedFor(Slow(), seconds(60), seconds(25), true);
  ASSERT_TRUE(soaked.profile.recommendation);
  EXPECT_FALSE(soaked.profile.recommendation->verified);
  EXPECT_THAT(soaked.Said("soakCutShort"), HasSubstr("it was not verified"));
}

TEST(SoakTest, IsLeftOutWhereOneMoreContainerTookTheProofBack) {
  const auto starts = std::make_shared<int>(0);
  const auto refused = std::make_shared<int>(0);
  FakeModel model = Slow();
  model.begins = [=](const auto&) { return ++*starts != *refused; };
  ASSERT_TRUE(SoakedFor(model, seconds(0)).profile.recommendation->verified);
  // The last of them saw how much more load the answer holds.
  *refused = std::exchange(*starts, 0);
  const Soaked soaked = SoakedFor(model, seconds(60));
  EXPECT_NE(soaked.Said("unsteady"), "");
  EXPECT_FALSE(soaked.profile.recommendation->verified);
  EXPECT_TRUE(soaked.soaks.empty());
  EXPECT_THAT(soaked.Said("soakCutShort"), HasSubstr("it was not verified"));
}

TEST(SoakTest, FindsALeakTooSlowForTheProof) {
  FakeModel model = Slow();
  model.leak_per_row = Bytes(400);
  const Soaked unsoaked = SoakedFor(model, seconds(0));
  EXPECT_NE(unsoaked.profile.findings.memory->trend, MemoryTrend::kGrowing);
  const Soaked soaked = SoakedFor(model, seconds(600));
  EXPECT_TRUE(soaked.profile.recommendation->verified);
  EXPECT_THAT(soaked.Said("leakSuspected"), HasSubstr("KiB a request"));
  EXPECT_EQ(soaked.profile.findings.memory->trend, MemoryTrend::kGrowing);
  EXPECT_EQ(soaked.profile.recommendation->rare_events, std::nullopt) << "it will be killed";
  EXPECT_EQ(soaked.profile.recommendation->bounds.Find(ResourceKind::kMemory)->confidence,
            Confidence::kLow);
}

TEST(SoakTest, TakesBackALeakThatCameToItsEnd) {
  FakeModel model = Slow();
  model.leak_per_row = KiB(4);
  model.leaking_rows = 3000;
  const Soaked unsoaked = SoakedFor(model, seconds(0));
  EXPECT_NE(unsoaked.Said("leakSuspected"), "");
  const Soaked soaked = SoakedFor(model, seconds(600));
  EXPECT_TRUE(soaked.profile.recommendation->verified);
  EXPECT_EQ(soaked.Said("leakSuspected"), "");
  EXPECT_EQ(soaked.profile.findings.memory->trend, MemoryTrend::kFlat);
  EXPECT_EQ(soaked.profile.findings.memory->hours_to_out_of_memory, std::nullopt);
  EXPECT_NE(soaked.profile.recommendation->rare_events, std::nullopt);
}

TEST(SoakTest, TakesNoLeakBackThatItWasTooShortFor) {
  FakeModel model = Slow();
  model.leak_per_row = KiB(4);
  EXPECT_NE(SoakedFor(model, seconds(5)).Said("leakSuspected"), "");
}

TEST(SoakTest, AKillTakesTheProofBack) {
  FakeModel model = Slow();
  model.leak_per_row = KiB(20);
  const Soaked soaked = SoakedFor(model, seconds(900));
  EXPECT_EQ(soaked.profile.state, ProfileState::kSucceeded);
  EXPECT_FALSE(soaked.profile.recommendation->verified);
  EXPECT_EQ(soaked.profile.recommendation->rare_events, std::nullopt);
  EXPECT_EQ(soaked.profile.recommendation->confidence, Confidence::kLow);
  EXPECT_THAT(soaked.Said("unverified"), HasSubstr("of soaking"));
  EXPECT_FALSE(soaked.soaks.back().passed);
}

}  // namespace
}  // namespace mlprof::server::phases
