#include "server/profiling/run/warnings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mlprof::server {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
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
