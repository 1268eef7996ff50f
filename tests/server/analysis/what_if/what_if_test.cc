#include "server/analysis/what_if/what_if.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/analysis/cpu_curve.h"
#include "tests/server/analysis/made_up_profile.h"

namespace mlprof::server {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Result<WhatIfAnswer> Ask(const MadeUpProfile& made, const WhatIfQuestion& question) {
  return AnswerWhatIf(made.profile, made.trials, made.rows, question);
}

WhatIfQuestion Rate(double requests_per_second, std::map<std::string, double> latency_ms = {}) {
  WhatIfQuestion question;
  question.objective.requests_per_second = requests_per_second;
  question.objective.latency_ms = std::move(latency_ms);
  return question;
}

WhatIfQuestion InFlight(int concurrency, std::map<std::string, double> latency_ms = {}) {
  WhatIfQuestion question;
  question.objective.concurrency = concurrency;
  question.objective.latency_ms = std::move(latency_ms);
  return question;
}

double TrueP95(const MadeUpModel& model, const Objective& objective, Cores cpu) {
  const auto outcome =
      objective.requests_per_second
          ? SimulateOpenLoop(model.rows, model.server, cpu,
                             {*objective.requests_per_second, objective.arrivals, 77}, 5000)
          : SimulateClosedLoop(model.rows, model.server, cpu, objective.ConcurrencyOrOne(), 5000);
  return outcome.latencies.QuantileMs(0.95).value_or(0);
}

TEST(WhatIfTest, GivesTheProfilesOwnQuestionItsOwnAnswer) {
  const MadeUpProfile made = ProfileOf({});
  for (const auto margin : {std::optional<double>(), std::optional<double>(0.10)}) {
    WhatIfQuestion question = InFlight(1);
    question.memory_margin = margin;
    const auto answer = Ask(made, question);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->recommendation, *made.profile.recommendation);
    EXPECT_TRUE(answer->within_measured);
    EXPECT_THAT(answer->notes, IsEmpty());
  }
}

TEST(WhatIfTest, AsksForTheCpuThatStartsItAsSoonAsTheQuestionSays) {
  MadeUpProfile made = ProfileOf({});
  Recommendation& own = *made.profile.recommendation;
  own.start = StartFigures{StartTime{60, 60}, {30, 60}, Cores(2.0)};
  WhatIfQuestion question = InFlight(1, {{"p95", 10'000}});
  question.objective.start_within_seconds = 50;
  const auto answer = Ask(made, question);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->recommendation->requested.cpu(), Cores(1.2));
  EXPECT_EQ(answer->recommendation->start->startup_cpu, Cores(1.2));
  EXPECT_EQ(answer->recommendation->start->at_limits, std::nullopt);
  question.objective.start_within_seconds = 10;
  const auto late = Ask(made, question);
  ASSERT_TRUE(late->no_answer);
  EXPECT_EQ(late->no_answer->code, "objectiveNotHeld");
  EXPECT_FALSE(late->recommendation);
  own.start.reset();
  EXPECT_FALSE(Ask(made, question)->within_measured);
}

TEST(WhatIfTest, TakesWorkersThatHadNoRowForNotInTheMemoryYet) {
  MadeUpProfile made = ProfileOf({});
  made.profile.recommendation->workers = ServingWorkers{4, MiB(100), 3};
  WhatIfQuestion question = InFlight(1);
  question.workers = 6;
  EXPECT_EQ(Ask(made, question)->recommendation->requested.memory(), MiB(816));
}

TEST(WhatIfTest, AddsAndTakesAwayWhatAWorkerHasForItself) {
  MadeUpProfile made = ProfileOf({});
  made.profile.recommendation->workers = ServingWorkers{4, MiB(100), 4};
  for (const auto& [workers, memory] : {std::pair(2, MiB(320)), std::pair(6, MiB(720))}) {
    WhatIfQuestion question = InFlight(1);
    question.workers = workers;
    const auto answer = Ask(made, question);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->recommendation->requested.memory(), memory);
    const Bound& range = *answer->recommendation->bounds.Find(ResourceKind::kMemory);
    EXPECT_LE(range.low.bytes(), memory);
    EXPECT_GE(range.high.bytes(), memory);
    EXPECT_FALSE(range.low_failed);
    EXPECT_FALSE(answer->recommendation->verified);
    EXPECT_EQ(answer->recommendation->confidence, Confidence::kLow);
    EXPECT_EQ(answer->recommendation->workers, (ServingWorkers{workers, MiB(100), 0}));
    EXPECT_EQ(answer->recommendation->max_concurrency, std::nullopt);
    EXPECT_EQ(answer->recommendation->requested.cpu(),
              made.profile.recommendation->requested.cpu());
  }
  WhatIfQuestion own = InFlight(1);
  own.workers = 4;
  EXPECT_EQ(Ask(made, own)->recommendation, *made.profile.recommendation);
}

TEST(WhatIfTest, SaysThatConnectionsOfAnotherKindWereNotMeasured) {
  MadeUpProfile made = ProfileOf({});
  WhatIfQuestion question = InFlight(1);
  question.objective.connections = ConnectionUse::kPerRequest;
  made.profile.request.objective.connections = ConnectionUse::kBoth;
  EXPECT_EQ(Ask(made, question)->recommendation, *made.profile.recommendation);
  made.profile.request.objective.connections = ConnectionUse::kKeepAlive;
  const auto answer = Ask(made, question);
  ASSERT_TRUE(answer);
  EXPECT_FALSE(answer->within_measured);
  EXPECT_FALSE(answer->recommendation->verified);
}

TEST(WhatIfTest, RefusesANumberOfWorkersForAModelOfOneProcess) {
  WhatIfQuestion question = InFlight(1);
  question.workers = 2;
  const auto answer = Ask(ProfileOf({}), question);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().fields().at(0).pointer, "/workers");
}

TEST(WhatIfTest, HoldsALatencyAtEveryConcurrencyThatWasMeasured) {
  const MadeUpModel model;
  const MadeUpProfile made = ProfileOf(model);
  for (const int concurrency : {1, 2, 4, 8}) {
    const auto question = InFlight(concurrency, {{"p95", 160}});
    const auto answer = Ask(made, question);
    ASSERT_TRUE(answer);
    EXPECT_TRUE(answer->within_measured);
    EXPECT_FALSE(answer->recommendation->verified);
    EXPECT_EQ(answer->recommendation->tight, std::nullopt);
    const Cores cpu = answer->recommendation->requested.cpu();
    EXPECT_LE(TrueP95(model, question.objective, cpu), 160) << concurrency;
    EXPECT_GT(TrueP95(model, question.objective, cpu - Cores::FromTenths(2)), 160 * 0.9)
        << concurrency;
  }
}

TEST(WhatIfTest, HoldsALatencyAtARate) {
  const MadeUpModel model{{{10, 5}, {30, 5}}, {4, 1, 4}, Cores(4.0)};
  const auto question = Rate(25, {{"p95", 120}});
  const auto answer = Ask(ProfileOf(model), question);
  ASSERT_TRUE(answer);
  const Cores cpu = answer->recommendation->requested.cpu();
  EXPECT_LE(TrueP95(model, question.objective, cpu), 120);
  EXPECT_GE(cpu, Cores(0.7));  // 25 × 20 ms / 0.70 is 0.71
  EXPECT_EQ(answer->recommendation->max_requests_per_second, 25);
  EXPECT_EQ(answer->recommendation->environment_variables,
            ProfileOf(model).profile.recommendation->environment_variables);
}

TEST(WhatIfTest, NeverGoesBelowTheUseOfARate) {
  const auto answer = Ask(ProfileOf({}), Rate(70, {{"p50", 5000}}));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->recommendation->requested.cpu(), Cores(2.0));  // 70 × 20 ms / 0.70
}

TEST(WhatIfTest, FindsThatAModelBehindALockUsesNoMoreCores) {
  const MadeUpModel locked{{{20, 0}}, {8, 1, 1}, Cores(4.0)};
  const MadeUpProfile made = ProfileOf(locked);
  const auto answer = Ask(made, InFlight(4, {{"p95", 100}}));
  ASSERT_TRUE(answer);
  EXPECT_LE(answer->recommendation->requested.cpu(), Cores(1.1));
}

TEST(WhatIfTest, HasNoAnswerWhereEvenTheCeilingWouldNotHoldTheObjective) {
  const MadeUpModel locked{{{20, 0}}, {8, 1, 1}, Cores(4.0)};
  const auto impossible = Ask(ProfileOf(locked), InFlight(4, {{"p95", 60}}));
  ASSERT_TRUE(impossible);
  EXPECT_FALSE(impossible->recommendation);
  EXPECT_FALSE(impossible->within_measured);
  ASSERT_TRUE(impossible->no_answer);
  EXPECT_EQ(impossible->no_answer->code, "objectiveNotHeld");
  EXPECT_THAT(impossible->no_answer->message, HasSubstr("even the ceiling of 4.0 cores"));
  ASSERT_TRUE(impossible->no_answer->nearest);
  EXPECT_EQ(impossible->no_answer->nearest->concurrency, 4);
  EXPECT_EQ(impossible->no_answer->nearest->limits.cpu(), Cores(4.0));
}

TEST(WhatIfTest, HasNoAnswerForARateWhoseBurstsFindNoRoomAtTheCeiling) {
  const auto tight = Ask(ProfileOf({}), Rate(150, {{"p95", 5000}}));  // 3 cores of use, 4 at most
  ASSERT_TRUE(tight && tight->no_answer);
  EXPECT_EQ(tight->no_answer->code, "objectiveNotHeld");
  EXPECT_THAT(tight->no_answer->message, HasSubstr("wants 4.3 cores"));
}

TEST(WhatIfTest, HasNoAnswerForMoreLoadThanWasMeasuredButTheNearestRun) {
  const MadeUpProfile made = ProfileOf({});
  const double highest = made.profile.findings.load->levels.back().requests_per_second;
  const auto fast = Ask(made, Rate(500));
  ASSERT_TRUE(fast);
  EXPECT_FALSE(fast->recommendation);
  EXPECT_FALSE(fast->within_measured);
  ASSERT_TRUE(fast->no_answer);
  EXPECT_EQ(fast->no_answer->code, "beyondMeasured");
  EXPECT_THAT(fast->no_answer->message, HasSubstr("highest measured throughput"));
  ASSERT_TRUE(fast->no_answer->nearest);
  EXPECT_GE(fast->no_answer->nearest->queries_per_second.value_or(0), 0.99 * highest);
  EXPECT_THAT(fast->no_answer->nearest->short_of,
              AllOf(HasSubstr("it served "), HasSubstr(" of the 500.0 requests/s")));
  const auto crowded = Ask(made, InFlight(16, {{"p95", 900}}));
  ASSERT_TRUE(crowded && crowded->no_answer);
  EXPECT_EQ(crowded->no_answer->code, "beyondMeasured");
  EXPECT_THAT(crowded->no_answer->message, HasSubstr("16 requests in flight are more"));
  EXPECT_EQ(crowded->no_answer->nearest->concurrency, 8);
  EXPECT_EQ(crowded->no_answer->nearest->short_of,
            "it had 8 of the 16 requests in flight that are asked for");
}

TEST(WhatIfTest, CountsARateThatWasKeptUpWithAndNoneThatWasOnlyAskedFor) {
  MadeUpProfile made = ProfileOf({});
  made.profile.findings.load.reset();
  for (Trial& trial : made.trials) trial.requests_per_second = 500;  // the reference fell behind
  const auto code = [&](double rate) { return Ask(made, Rate(rate))->no_answer->code; };
  EXPECT_EQ(code(60), kBeyondMeasured);
  Trial held = made.trials.front();
  held.purpose = TrialPurpose::kVerification;
  held.requests_per_second = 60;  // of random arrivals a few less come
  held.measurements.queries_per_second = 59.2;
  made.trials.push_back(held);
  EXPECT_EQ(code(60), kObjectiveNotHeld);  // by one row at a time, which is all else it knows of
  held.requests_per_second = 70;
  held.passed = false;
  made.trials.push_back(held);
  EXPECT_EQ(code(70), kBeyondMeasured);
}

TEST(WhatIfTest, IsNoSurerThanItsProfileAndNeverHigh) {
  MadeUpProfile made = ProfileOf({});
  const auto sure = Ask(made, InFlight(2, {{"p95", 160}}));
  ASSERT_TRUE(sure && sure->recommendation);
  EXPECT_TRUE(sure->within_measured);
  EXPECT_EQ(sure->recommendation->confidence, Confidence::kMedium);
  made.profile.recommendation->confidence = Confidence::kLow;
  made.profile.recommendation->Set({MiB(448), MiB(560), "", Confidence::kLow});
  for (const auto margin : {std::optional<double>(), std::optional<double>(0.3)}) {
    WhatIfQuestion question = InFlight(margin ? 1 : 2);
    question.memory_margin = margin;
    const auto answer = Ask(made, question);
    ASSERT_TRUE(answer && answer->recommendation);
    EXPECT_EQ(answer->recommendation->confidence, Confidence::kLow);
    EXPECT_EQ(answer->recommendation->bounds.Find(ResourceKind::kMemory)->confidence,
              Confidence::kLow);
  }
}

TEST(WhatIfTest, SustainsNoMoreThanWasMeasured) {
  const MadeUpProfile made = ProfileOf({});
  const auto answer = Ask(made, InFlight(8, {{"p95", 5000}}));
  ASSERT_TRUE(answer && answer->recommendation);
  EXPECT_EQ(answer->recommendation->max_concurrency, 8);
  EXPECT_LE(answer->recommendation->max_requests_per_second.value_or(1e9),
            made.profile.findings.load->levels.back().requests_per_second);
}

TEST(WhatIfTest, TellsOfAProfileWithoutAnAnswerWhatItsOwnQuestionGot) {
  MadeUpProfile made = ProfileOf({});
  made.profile.recommendation.reset();
  made.profile.no_answer = NoAnswer{kObjectiveNotHeld, "too slow", {}};
  const auto own = Ask(made, InFlight(1));
  ASSERT_TRUE(own);
  EXPECT_EQ(own->no_answer, made.profile.no_answer);
  EXPECT_EQ(Ask(made, InFlight(2)).error().code(), ErrorCode::kConflict);
}

TEST(WhatIfTest, CorrectsTheSimulationByWhatWasMeasured) {
  MadeUpProfile made = ProfileOf({});
  for (CpuPoint& point : made.profile.findings.cpu->points) point.p95_ms *= 1.5;
  const auto plain = Ask(ProfileOf({}), InFlight(1, {{"p95", 80}}));
  const auto slower = Ask(made, InFlight(1, {{"p95", 80}}));
  ASSERT_TRUE(plain && slower);
  EXPECT_GT(slower->recommendation->requested.cpu(), plain->recommendation->requested.cpu());
}

TEST(WhatIfTest, SaysWhyItIsOutsideOfWhatWasMeasured) {
  const MadeUpProfile made = ProfileOf({});
  const auto slow = Ask(made, InFlight(2, {{"p95", 5000}}));
  ASSERT_TRUE(slow);
  EXPECT_FALSE(slow->within_measured);
  EXPECT_EQ(slow->recommendation->confidence, Confidence::kLow);
  EXPECT_THAT(slow->notes, ElementsAre(HasSubstr("0.1 cores are outside the probed range")));
  MadeUpProfile few = made;
  for (Trial& trial : few.trials) trial.measurements.success_queries = 100;
  few.profile.measurements->success_queries = few.profile.measurements->total_queries = 100;
  const auto rare = Ask(few, InFlight(1, {{"p99", 100}}));
  ASSERT_TRUE(rare);
  EXPECT_THAT(rare->notes, ElementsAre(HasSubstr("p99 takes 299 requests")));
}

TEST(WhatIfTest, PutsAnotherMarginOnTheMeasuredNeed) {
  WhatIfQuestion question = InFlight(1);
  question.memory_margin = 0.25;
  const auto wide = Ask(ProfileOf({}), question);
  ASSERT_TRUE(wide);
  EXPECT_EQ(wide->recommendation->requested, (Limits{Cores(0.9), MiB(560)}));
  EXPECT_FALSE(wide->recommendation->verified);
  EXPECT_TRUE(wide->within_measured);
  question.memory_margin = 0;
  const auto none = Ask(ProfileOf({}), question);
  ASSERT_TRUE(none);
  EXPECT_EQ(none->recommendation->requested.memory(),
            MiB(464));  // above what is known to fall short
  EXPECT_THAT(none->notes, ElementsAre(HasSubstr("not verified")));
}

TEST(WhatIfTest, PutsAnotherMarginOnTheFilesThatOthersPaidForToo) {
  MadeUpProfile made = ProfileOf({});
  MemoryFindings& memory = *made.profile.findings.memory;
  memory.files_of_others = MiB(300);
  made.profile.recommendation->requested.Set(MiB(816));
  WhatIfQuestion question = InFlight(1);
  question.memory_margin = 0;
  const auto none = Ask(made, question);
  ASSERT_TRUE(none);
  EXPECT_GE(none->recommendation->requested.memory(),
            std::max(*memory.load_peak, *memory.serving_peak) + MiB(300));
}

TEST(WhatIfTest, AddsMemoryForEachRequestMoreInFlight) {
  const auto answer = Ask(ProfileOf({}), InFlight(4, {{"p95", 200}}));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->recommendation->requested.memory(), MiB(576));  // 512 + 3 × 20, on the grid
}

TEST(WhatIfTest, AnswersFromTheCpuCurveWhereNoRowsAreKept) {
  MadeUpProfile made = ProfileOf({});
  made.profile.findings.cpu = FitCpuCurve(made.profile.findings.cpu->points);
  made.rows.clear();
  const auto answer = Ask(made, InFlight(1, {{"p95", 160}}));
  ASSERT_TRUE(answer);
  EXPECT_GE(answer->recommendation->requested.cpu(), Cores(0.1));
  EXPECT_LE(answer->recommendation->requested.cpu(), Cores(0.4));
}

TEST(WhatIfTest, RefusesAProfileWithoutAnAnswerAndAnImpossibleObjective) {
  MadeUpProfile made = ProfileOf({});
  WhatIfQuestion both = InFlight(2);
  both.objective.requests_per_second = 5;
  EXPECT_EQ(Ask(made, both).error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(Ask(made, Rate(0)).error().fields().front().pointer, "/objective/requestsPerSecond");
  EXPECT_EQ(Ask(made, InFlight(1, {{"p77", 1}})).error().code(), ErrorCode::kInvalidArgument);
  made.profile.recommendation.reset();
  EXPECT_EQ(Ask(made, InFlight(1)).error().code(), ErrorCode::kConflict);
  MadeUpProfile empty;
  empty.profile.recommendation.emplace();
  EXPECT_EQ(Ask(empty, InFlight(2)).error().code(), ErrorCode::kConflict);
}

}  // namespace
}  // namespace mlprof::server
