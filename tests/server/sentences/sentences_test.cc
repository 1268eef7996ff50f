// Each sentence that a user reads of a profile is held against the trials that the profile stored,
// over whole runs of imitated models.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/analysis/what_if/measured_range.h"
#include "server/analysis/what_if/what_if.h"
#include "tests/server/profiling/profiling_bench.h"
#include "tests/server/sentences/claims.h"

namespace mlprof::server {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Told {
  Profile profile;
  std::vector<Trial> trials;
  std::vector<RowRecord> rows;
};

struct Asked {
  Objective objective = {};
  Ceiling ceiling = {};
  std::chrono::seconds budget{300};
  double busy_cores = 0;
  int rows = 20;
};

Told Tell(const FakeModel& model, const Asked& asked = {}) {
  ProfilingBench bench(model);
  bench.busy_cores = asked.busy_cores;
  bench.RegisterInputs(TextRows(asked.rows));
  ProfileRequest request = bench.Request("p", asked.budget);
  request.objective = asked.objective;
  request.ceiling = asked.ceiling;
  EXPECT_TRUE(bench.service().Create("default", request, {}).has_value());
  Told told{bench.AwaitEnd("p"), {}, {}};
  // As it is after a restart: what is told then is what was stored.
  bench.Restart();
  told.profile = bench.service().Get("default", "p").value_or(Profile());
  told.trials = bench.service().Trials("default", "p").value_or(std::vector<Trial>());
  told.rows = bench.service().Rows("default", "p").value_or(std::vector<RowRecord>());
  EXPECT_EQ(told.profile.state, ProfileState::kSucceeded)
      << (told.profile.error ? told.profile.error->message : "");
  return told;
}

std::vector<std::string> UntrueOf(const Told& told) {
  return Claims(told.profile, told.trials).Untrue();
}
std::string TextOf(const Told& told) { return Claims(told.profile, told.trials).text(); }

Objective Within(double p95_ms) {
  Objective objective;
  objective.latency_ms = {{"p95", p95_ms}};
  return objective;
}

Objective PerSecond(double rate, std::map<std::string, double> latency_ms = {}) {
  Objective objective;
  objective.requests_per_second = rate;
  objective.latency_ms = std::move(latency_ms);
  return objective;
}

FakeModel Small() {
  FakeModel model;
  model.start_peak = MiB(5);
  model.serving_peak = MiB(8);
  return model;
}

TEST(SentencesTest, AreTrueOfAPlainAnswer) {
  const Told told = Tell({});
  EXPECT_THAT(UntrueOf(told), IsEmpty()) << TextOf(told);
  EXPECT_THAT(TextOf(told), HasSubstr("one step less of CPU and of memory was tried and failed"));
  EXPECT_THAT(TextOf(told), HasSubstr("more than 192 MiB, up to"));
}

TEST(SentencesTest, DoNotSayThatLessThanTheLeastLimitsWasTried) {
  const Told told = Tell(Small(), {.objective = Within(50)});
  EXPECT_THAT(UntrueOf(told), IsEmpty()) << TextOf(told);
  ASSERT_EQ(told.profile.recommendation->requested, kSmallestLimits);
  EXPECT_EQ(told.profile.recommendation->tight, true);
  EXPECT_EQ(TextOf(told).find("tried and failed"), std::string::npos) << TextOf(told);
  EXPECT_THAT(TextOf(told), HasSubstr("so less was not tried"));
  EXPECT_THAT(TextOf(told), HasSubstr("memory           32 MiB, medium confidence"));
}

TEST(SentencesTest, NameTheResourceThatWasTriedWhereTheOtherIsAtItsFloor) {
  const Told told = Tell({}, {.objective = Within(50)});
  EXPECT_THAT(UntrueOf(told), IsEmpty()) << TextOf(told);
  EXPECT_THAT(TextOf(told), HasSubstr("one step less of memory was tried and failed; 0.1 cores of "
                                      "CPU is the least there is, so less was not tried"));
}

TEST(SentencesTest, NameTheResourceThatOneStepLessOfHeldAsWell) {
  FakeModel model;
  model.serving_peak = MiB(123);  // 144 MiB, and 128 MiB hold and are full
  const Told told = Tell(model);
  EXPECT_THAT(UntrueOf(told), IsEmpty()) << TextOf(told);
  ASSERT_EQ(told.profile.recommendation->tight, false);
  EXPECT_THAT(TextOf(told), HasSubstr("no: one step less of memory held as well, but"));
}

TEST(SentencesTest, AreTrueOfARateThatIsSustainedOnceItIsVerified) {
  for (const double rate : {20.0, 50.0, 137.0}) {
    const Told told = Tell({}, {.objective = PerSecond(rate)});
    EXPECT_THAT(UntrueOf(told), IsEmpty()) << TextOf(told);
    ASSERT_TRUE(told.profile.recommendation && told.profile.recommendation->verified) << rate;
    EXPECT_GE(told.profile.recommendation->max_requests_per_second.value_or(0), rate);
  }
}

TEST(SentencesTest, AreTrueOnANoisyHost) {
  for (const int held_up_us : {0, 600}) {
    FakeModel model;
    model.held_up = std::chrono::microseconds(held_up_us);
    const Told told = Tell(model, {.busy_cores = 1.9});
    EXPECT_THAT(UntrueOf(told), IsEmpty()) << TextOf(told);
    EXPECT_TRUE(HasWarning(told.profile, "noisyHost"));
  }
}

TEST(SentencesTest, AreTrueOfModelsOfEveryKind) {
  FakeModel leaks;
  leaks.leak_per_row = KiB(64);
  FakeModel reads;
  reads.hot_file = MiB(300);
  FakeModel spikes;
  spikes.rise = [](const std::string& row) { return row == "row 7" ? MiB(500) : Bytes(); };
  FakeModel waits;
  waits.per_waiting_row = MiB(100);
  FakeModel sheds;
  sheds.sheds_below = Cores(0.6);
  FakeModel starts;
  starts.start_peak = MiB(600);
  FakeModel fails;
  fails.status = [](const std::string& row) { return row == "row 7" ? 500 : 200; };
  FakeModel kills;
  kills.status = [](const std::string& row) { return row == "row 7" ? 0 : 200; };
  FakeModel forks;
  forks.forks = true;
  FakeModel works;
  works.cpu_after_row = std::chrono::microseconds(600);
  for (const FakeModel& model :
       {leaks, reads, spikes, waits, sheds, starts, fails, kills, forks, works}) {
    for (const Objective& objective : {Objective(), Within(30)}) {
      const Told told = Tell(model, {.objective = objective});
      EXPECT_THAT(UntrueOf(told), IsEmpty()) << TextOf(told);
    }
  }
}

TEST(SentencesTest, AreTrueWhereTheBudgetOrTheCeilingEnds) {
  for (const int seconds : {5, 10, 20, 30, 60}) {
    const Told told = Tell({}, {.budget = std::chrono::seconds(seconds)});
    EXPECT_THAT(UntrueOf(told), IsEmpty()) << seconds << "\n" << TextOf(told);
  }
  const Told low = Tell({}, {.ceiling = {Cores(0.4), MiB(208)}});
  EXPECT_THAT(UntrueOf(low), IsEmpty()) << TextOf(low);
}

TEST(SentencesTest, ALimitOffTheGridIsAnsweredOnTheGrid) {
  const Told told = Tell(Small(), {.ceiling = {std::nullopt, MiB(41)}});
  EXPECT_EQ(told.profile.recommendation->requested.memory(), MiB(32));
  EXPECT_THAT(UntrueOf(told), IsEmpty()) << TextOf(told);
}

TEST(NoAnswerTest, IsTheOutcomeWhereNoLimitHoldsTheLatency) {
  const Told told = Tell({}, {.objective = Within(1)});  // a row takes 2 ms of CPU
  EXPECT_THAT(UntrueOf(told), IsEmpty()) << TextOf(told);
  EXPECT_FALSE(told.profile.recommendation);
  ASSERT_TRUE(told.profile.no_answer);
  EXPECT_EQ(told.profile.no_answer->code, "objectiveNotHeld");
  ASSERT_TRUE(told.profile.no_answer->nearest);
  EXPECT_NEAR(told.profile.no_answer->nearest->latency_p95_ms.value_or(0), 2, 0.2);
  EXPECT_THAT(told.profile.no_answer->nearest->short_of, HasSubstr("1.0 ms are allowed"));
  EXPECT_FALSE(HasWarning(told.profile, "unverified"));
  EXPECT_TRUE(told.profile.measurements);
}

TEST(NoAnswerTest, IsTheOutcomeWhereNoLimitServesTheRate) {
  const Told told = Tell({}, {.objective = PerSecond(2000)});  // 500 a second is the most
  EXPECT_THAT(UntrueOf(told), IsEmpty()) << TextOf(told);
  ASSERT_TRUE(told.profile.no_answer) << TextOf(told);
  EXPECT_LE(told.profile.no_answer->nearest->queries_per_second.value_or(1e9), 510);
  EXPECT_EQ(told.profile.no_answer->nearest->concurrency, std::nullopt);
}

TEST(NoAnswerTest, IsNotSaidOfAModelThatHoldsNoMoreThanItsOwnReference) {
  // Some rows fail whatever the limits: nobody's shortage, and no objective that they miss.
  FakeModel fails;
  fails.status = [](const std::string& row) { return row == "row 7" ? 500 : 200; };
  const Told told = Tell(fails);
  EXPECT_FALSE(told.profile.no_answer);
  ASSERT_TRUE(told.profile.recommendation);
  EXPECT_FALSE(told.profile.recommendation->verified);
}

TEST(NoAnswerTest, IsNotSaidWhereTheBudgetEndedFirst) {
  const Told told = Tell({}, {.objective = Within(1), .budget = std::chrono::seconds(8)});
  EXPECT_FALSE(told.profile.no_answer);
  ASSERT_TRUE(told.profile.recommendation);
  EXPECT_FALSE(told.profile.recommendation->verified);
  EXPECT_THAT(UntrueOf(told), IsEmpty()) << TextOf(told);
}

TEST(NoAnswerTest, IsNotSaidOnTheWordOfABusyHost) {
  const Told told = Tell({}, {.objective = Within(1), .busy_cores = 1.9});
  EXPECT_FALSE(told.profile.no_answer);
  ASSERT_TRUE(told.profile.recommendation);
  EXPECT_FALSE(told.profile.recommendation->verified);
  EXPECT_THAT(UntrueOf(told), IsEmpty()) << TextOf(told);
}

TEST(NoAnswerTest, IsNotApplied) {
  ProfilingBench bench;
  bench.RegisterInputs(TextRows(20));
  ProfileRequest request = bench.Request("p", kBudget);
  request.objective = Within(1);
  ASSERT_TRUE(bench.service().Create("default", request, {}).has_value());
  ASSERT_TRUE(bench.AwaitEnd("p").no_answer);
  const auto applied = bench.service().Apply("default", "p");
  ASSERT_FALSE(applied);
  EXPECT_EQ(applied.error().code(), ErrorCode::kConflict);
  EXPECT_THAT(applied.error().message(), HasSubstr("no answer to apply"));
}

// What a what-if says, against the trials and its profile.
std::vector<std::string> UntrueForesight(const Told& told, const WhatIfAnswer& answer) {
  std::vector<std::string> untrue;
  const auto need = [&](bool shown, const char* what) {
    if (!shown) untrue.push_back(what);
  };
  const MeasuredLoads loads = LoadsOf(told.profile, told.trials);
  need(answer.recommendation.has_value() != answer.no_answer.has_value(), "either or");
  if (answer.no_answer) {
    const auto& nearest = answer.no_answer->nearest;
    need(nearest.has_value(), "nothing is nearest");
    need(!nearest || nearest->queries_per_second.value_or(0) <= loads.HighestThroughput(),
         "the nearest was not measured");
    return untrue;
  }
  const Recommendation& own = *told.profile.recommendation;
  const Recommendation& said = *answer.recommendation;
  if (said == own) return untrue;
  need(!said.verified && !said.tight, "nothing was run for it");
  need(said.confidence >= own.confidence, "surer than the profile");
  need(said.confidence != Confidence::kHigh, "high, and nothing is verified");
  for (const ResourceKind kind : kResources) {
    const Bound* bound = said.bounds.Find(kind);
    need(bound == nullptr || bound->confidence != Confidence::kHigh, "a high bound");
  }
  need(said.max_requests_per_second.value_or(0) <= loads.HighestThroughput(),
       "sustains more than was ever measured");
  need(said.max_concurrency.value_or(0) <= loads.HighestConcurrency(),
       "more in flight than was ever measured");
  return untrue;
}

TEST(WhatIfSentencesTest, AreTrueOfEveryLoadWithinAndBeyondTheMeasured) {
  for (const double busy_cores : {0.0, 1.9}) {
    const Told told = Tell({}, {.busy_cores = busy_cores});
    ASSERT_TRUE(told.profile.recommendation);
    for (const double rate : {5.0, 50.0, 200.0, 450.0, 5000.0}) {
      for (const auto& latency : {std::map<std::string, double>(), {{"p95", 20.0}}}) {
        const auto answer = AnswerWhatIf(told.profile, told.trials, told.rows,
                                         {PerSecond(rate, latency), std::nullopt});
        ASSERT_TRUE(answer);
        EXPECT_THAT(UntrueForesight(told, *answer), IsEmpty()) << rate;
        EXPECT_EQ(answer->recommendation.has_value(), answer->within_measured || rate < 450);
      }
    }
    for (const int concurrency : {1, 2, 4, 1000}) {
      Objective objective = Within(60);
      objective.concurrency = concurrency;
      const auto answer =
          AnswerWhatIf(told.profile, told.trials, told.rows, {objective, std::nullopt});
      ASSERT_TRUE(answer);
      EXPECT_THAT(UntrueForesight(told, *answer), IsEmpty()) << concurrency;
    }
  }
}

TEST(WhatIfSentencesTest, ABeyondMeasuredRateHasNoAnswerButTheNearestRun) {
  const Told told = Tell({});
  const auto answer =
      AnswerWhatIf(told.profile, told.trials, told.rows, {PerSecond(5000), std::nullopt});
  ASSERT_TRUE(answer && answer->no_answer);
  EXPECT_EQ(answer->no_answer->code, "beyondMeasured");
  EXPECT_NEAR(answer->no_answer->nearest->queries_per_second.value_or(0), 500, 10);
}

// The judge itself must see a lie, or it proves nothing.
TEST(ClaimsTest, SeeEachSentenceThatNoTrialBearsOut) {
  const Told truth = Tell({});
  ASSERT_THAT(UntrueOf(truth), IsEmpty());
  const auto lie = [&](const std::function<void(Told&)>& change) {
    Told told = truth;
    change(told);
    return UntrueOf(told);
  };
  const auto forget = [](TrialPurpose purpose) {
    return [purpose](Told& told) {
      std::erase_if(told.trials, [&](const Trial& trial) { return trial.purpose == purpose; });
    };
  };
  EXPECT_THAT(lie(forget(TrialPurpose::kVerification)),
              Contains(HasSubstr("0 containers passed there")));
  EXPECT_THAT(lie(forget(TrialPurpose::kTightness)),
              Contains(HasSubstr("one step less of memory")));
  EXPECT_THAT(lie([](Told& told) { told.profile.recommendation->max_requests_per_second = 900; }),
              Contains(HasSubstr("never served there")));
  EXPECT_THAT(lie([](Told& told) { told.profile.recommendation->max_concurrency = 7; }),
              Contains(HasSubstr("never held there")));
  EXPECT_THAT(lie([](Told& told) {
                told.profile.recommendation->bounds.Find(ResourceKind::kMemory)->low = MiB(208);
              }),
              Contains(HasSubstr("nothing fell short there")));
  EXPECT_THAT(lie([](Told& told) {
                told.profile.recommendation->bounds.Find(ResourceKind::kMemory)->reason =
                    "208 MiB fell short when tried";
              }),
              Contains(HasSubstr("failed for want of it")));
  EXPECT_THAT(lie([](Told& told) { told.profile.recommendation->tight = false; }),
              Contains(HasSubstr("one step less was not seen to hold")));
  EXPECT_THAT(lie([](Told& told) { told.profile.recommendation->verified = false; }),
              Contains(HasSubstr("three passed")));
  EXPECT_THAT(lie([](Told& told) {
                told.profile.warnings.push_back({"noisyHost", "not quiet: 9 cores", ""});
              }),
              Contains(HasSubstr("host.noise is")));
  EXPECT_THAT(lie([](Told& told) {
                told.profile.recommendation.reset();
                told.profile.no_answer = NoAnswer{kObjectiveNotHeld, "no limit", {}};
              }),
              Contains(HasSubstr("a container held the objective")));
}

}  // namespace
}  // namespace mlprof::server
