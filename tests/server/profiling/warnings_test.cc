#include "server/profiling/run/warnings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mlprof::server {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

auto Code(const char* code) { return Field(&Warning::code, code); }

RunFacts Facts() {
  RunFacts facts;
  facts.host.host.cores = 8;
  facts.host.cpuset = Cpuset("0-5", 6);
  facts.host.ceiling = {Cores(6.0), GiB(4)};
  return facts;
}

std::vector<Warning> Warned(const RunFacts& facts) { return WarningsOf(facts, std::nullopt); }

TEST(WarningsTest, ThereAreNoneOfAHostThatNobodyAskedYet) {
  EXPECT_THAT(Warned(RunFacts()), IsEmpty());
}

TEST(WarningsTest, AnAnswerIsUnverifiedOnlyOnceNobodyTriesToProveItAnyMore) {
  RunFacts facts = Facts();
  facts.verification.emplace();
  EXPECT_THAT(Warned(facts), IsEmpty());
  facts.verification->finished = true;
  EXPECT_THAT(Warned(facts), ElementsAre(Code("unverified")));
  facts.verification->proof.emplace();
  EXPECT_THAT(Warned(facts), IsEmpty());
}

TEST(WarningsTest, AnAnswerThatABusyHostLeftUnverifiedIsOfferedAnotherTryOnceItIsQuiet) {
  RunFacts facts = Facts();
  facts.verification.emplace().finished = true;
  const auto quietly = Field(&Warning::advice, HasSubstr("rerun NAME --when-quiet"));
  EXPECT_THAT(Warned(facts), Contains(AllOf(Code("unverified"), Not(quietly))));
  facts.noise.noisy = true;
  EXPECT_THAT(Warned(facts), Contains(AllOf(Code("unverified"), quietly)));
}

TEST(WarningsTest, ASoakOfWhatWasNotVerifiedIsToldToHaveBeenLeftOut) {
  RunFacts facts = Facts();
  facts.soak_asked = std::chrono::seconds(60);
  facts.verification.emplace().finished = true;
  const auto left_out =
      AllOf(Code("soakCutShort"), Field(&Warning::message, HasSubstr("it was not verified")));
  EXPECT_THAT(Warned(facts), Contains(left_out));
  facts.verification->proof.emplace();
  EXPECT_THAT(Warned(facts), Not(Contains(left_out)));
  facts.sustained.emplace().unsteady = true;
  EXPECT_THAT(Warned(facts), Contains(left_out)) << "the proof was taken back";
}

TEST(WarningsTest, AHeapIsSaidToFollowItsLimitOnlyWhereItTookLessWithLess) {
  RunFacts facts = Facts();
  phases::Verification& verification = facts.verification.emplace();
  verification.heap = HeapByLimit{GiB(1), MiB(905), GiB(1), MiB(905)};
  EXPECT_THAT(Warned(facts), IsEmpty());
  verification.heap->limit = MiB(512);
  verification.heap->used = MiB(460);
  EXPECT_THAT(Warned(facts), Contains(Code("heapByLimit")));
}

// As Node collects: with 4 GiB as with all memory, below it at 1.4 times the CPU.
RunFacts CheaperFrom4Gib() {
  RunFacts facts = Facts();
  facts.host.ceiling = {Cores(6.0), GiB(8)};
  phases::Verification& verification = facts.verification.emplace();
  FailedTry failed{{Cores(1.5), MiB(3936)}, ResourceKind::kMemory};
  failed.collecting_cost = 1.4;
  verification.failed = {failed};
  phases::LimitedRun run;
  run.cost_of_ceiling = 1.08;
  run.use.peak_unreclaimable = MiB(1072);
  verification.proof = phases::Proof{{Cores(1.5), MiB(4144)}, {run}};
  return facts;
}

TEST(WarningsTest, AHeapIsSaidToFollowItsLimitWhereMoreMemoryMadeRequestsCheaper) {
  EXPECT_THAT(
      Warned(CheaperFrom4Gib()),
      Contains(AllOf(Code("heapByLimit"),
                     Field(&Warning::message,
                           AllOf(HasSubstr("with 3936 MiB a request took 1.4 times the CPU"),
                                 HasSubstr("4144 MiB of the answer, of which 1072 were in use, "
                                           "1.1 times"))),
                     Field(&Warning::advice, HasSubstr("--max-old-space-size")))));
}

TEST(WarningsTest, AHeapIsSaidToFollowItsLimitWhereLessMemoryHeldAndRequestsPaidForIt) {
  RunFacts facts = CheaperFrom4Gib();
  facts.verification->failed.clear();
  EXPECT_THAT(Warned(facts), Not(Contains(Code("heapByLimit"))));
  facts.verification->paid = {{{Cores(1.5), MiB(2368)}, 1.4}};
  EXPECT_THAT(Warned(facts), Contains(Code("heapByLimit")));
}

TEST(WarningsTest, AHeapIsNotSaidToFollowItsLimitWhereRequestsAreAsDearWithTheAnswer) {
  RunFacts facts = CheaperFrom4Gib();
  facts.verification->proof->passes.front().cost_of_ceiling = 1.35;
  EXPECT_THAT(Warned(facts), Not(Contains(Code("heapByLimit"))));
}

TEST(WarningsTest, NoiseIsSaidToTouchMemoryWhereNothingElseRaisedThat) {
  RunFacts facts = Facts();
  facts.noise.noisy = true;
  facts.verification.emplace().proof.emplace().limits = {Cores(1.0), MiB(384)};
  const auto untouched = Field(&Warning::advice, HasSubstr("memory is not touched by it"));
  EXPECT_THAT(Warned(facts), ElementsAre(AllOf(Code("noisyHost"), untouched)));
  FailedTry failed{{Cores(1.0), MiB(320)}, ResourceKind::kMemory};
  failed.disturbed = true;
  facts.verification->failed = {failed};
  EXPECT_THAT(Warned(facts),
              ElementsAre(AllOf(Code("noisyHost"),
                                Field(&Warning::advice, HasSubstr("CPU and the memory limit")))));
}

TEST(WarningsTest, WhatMoreLoadThanAskedForEndsIsNoFaultOfTheModel) {
  RunFacts facts = Facts();
  facts.containers = {{Use::kBeyond, true, MiB(1), 3}};
  EXPECT_THAT(Warned(facts), Not(Contains(Code("workersLost"))));
  facts.containers.push_back({Use::kObjective, true, MiB(1), 1});
  facts.containers.push_back({Use::kObjective, true, MiB(1), 2});
  EXPECT_THAT(Warned(facts),
              Contains(AllOf(Code("workersLost"),
                             Field(&Warning::message, testing::StartsWith("3 processes")))));
}

TEST(WarningsTest, ACodeIsToldOnce) {
  RunFacts facts = Facts();
  facts.image = {{"baseImageReplaced", "one", ""}, {"baseImageReplaced", "two", ""}};
  facts.warm_up.emplace().steady = true;
  facts.warm_up->failed = phases::FailedRows{"first", ""};
  facts.load.emplace().failed = phases::FailedRows{"second", ""};
  EXPECT_THAT(Warned(facts), ElementsAre(Code("baseImageReplaced"), Code("rowsFailed")));
}

TEST(WarningsTest, FirstVisitsAreToldWithWhatOneTakesAtTheRecommendedLimit) {
  RunFacts facts = Facts();
  facts.warm_up.emplace().need.cores = 0.02;
  facts.warm_up->steady = true;
  facts.row_pass.emplace().cold = ColdRows{40, 39, 351, 360, 300, 51, 52, 1, MiB(1)};
  EXPECT_THAT(Warned(facts),
              ElementsAre(AllOf(
                  Code("coldRows"),
                  Field(&Warning::message,
                        AllOf(HasSubstr("351 ms and 300 ms of CPU on average, a later one 51 ms"),
                              HasSubstr("with 0.1 cores"), HasSubstr("takes about 3.1 s"))))));
}

TEST(WarningsTest, MemoryThatIsKeptForEveryRowIsToldWithWhatMoreRowsWouldTake) {
  RunFacts facts = Facts();
  facts.row_pass.emplace().growth = InputGrowth{4000, 65536};
  EXPECT_THAT(
      Warned(facts),
      ElementsAre(AllOf(
          Code("growsWithInputs"),
          Field(&Warning::message, AllOf(HasSubstr("keeps 64 KiB"),
                                         HasSubstr("40000 distinct ones would take 2500 MiB"))))));
}

TEST(WarningsTest, AResponseCacheIsToldWithBothFiguresInPlaceOfColdRows) {
  RunFacts facts = Facts();
  facts.warm_up.emplace().cache = ResponseCache{20, 20.5, 0.25, 20.2};
  facts.warm_up->steady = true;
  facts.row_pass.emplace().cold = ColdRows{40, 39, 20.5, 21, 20.2, 0.25, 0.3, 0.2, MiB(1)};
  EXPECT_THAT(Warned(facts),
              ElementsAre(AllOf(Code("responseCache"),
                                Field(&Warning::message,
                                      AllOf(HasSubstr("20.5 ms"), HasSubstr("0.25 ms from then on"),
                                            HasSubstr("distinct rows"))))));
}

TEST(WarningsTest, AnInstrumentThatFailedIsToldWithItsFirstReason) {
  RunFacts facts = Facts();
  facts.containers.resize(3);
  EXPECT_THAT(Warned(facts), IsEmpty());
  facts.containers[1].instrument_failures = {{"device", "was lost"}, {"device", "again"}};
  facts.containers[2].instrument_failures = {{"device", "is away"}, {"clock", "stands"}};
  EXPECT_THAT(Warned(facts), ElementsAre(Field(&Warning::message,
                                               "clock failed in 1 of 3 containers: stands; "
                                               "device failed in 2 of 3 containers: was lost")));
}

}  // namespace
}  // namespace mlprof::server
