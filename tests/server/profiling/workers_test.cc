// Servers of several processes: every one of them has rows before anything is judged.
#include "server/profiling/phases/workers.h"

#include <gtest/gtest.h>

#include "tests/server/profiling/lab_bench.h"
#include "tests/server/profiling/profiling_bench.h"

namespace mlprof::server {
namespace {

constexpr Bytes kLoad = MiB(200);

FakeModel Prefork(int workers) {
  FakeModel model;
  model.forks = true;
  model.workers = workers;
  model.worker_load = kLoad;
  model.start_peak = MiB(20);
  model.serving_peak = MiB(30);
  return model;
}

Profile Profiled(const FakeModel& model, const Objective& objective = {}) {
  ProfilingBench bench(model);
  bench.RegisterInputs(TextRows(20));
  ProfileRequest request = ProfilingBench::Request("p", kBudget);
  request.objective = objective;
  EXPECT_TRUE(bench.service().Create("default", request, {}).has_value());
  const Profile profile = bench.AwaitEnd("p");
  EXPECT_EQ(profile.state, ProfileState::kSucceeded)
      << (profile.error ? profile.error->message : "");
  return profile;
}

const Warning* WarningOf(const Profile& profile, const std::string& code) {
  for (const Warning& warning : profile.warnings) {
    if (warning.code == code) return &warning;
  }
  return nullptr;
}

TEST(WorkersTest, TheAnswerHoldsWhatEachOfThemLoadsAtItsFirstRow) {
  const Profile profile = Profiled(Prefork(4));
  const Recommendation& answer = profile.recommendation.value();
  EXPECT_TRUE(answer.verified);
  EXPECT_GE(answer.requested.memory(), MiB(830));
  EXPECT_LE(answer.requested.memory(), MiB(960));
  EXPECT_EQ(answer.workers, (ServingWorkers{4, MiB(210), 4}));
  EXPECT_EQ(profile.request.objective.connections, ConnectionUse::kBoth);
}

TEST(WorkersTest, SixtyFourOfThemAreReachedToo) {
  FakeModel model = Prefork(64);
  model.worker_load = MiB(10);
  const Recommendation answer = Profiled(model).recommendation.value();
  EXPECT_TRUE(answer.verified);
  EXPECT_EQ(answer.workers.value().count, 64);
  EXPECT_EQ(answer.workers->reached, 64);
}

TEST(WorkersTest, OneThatNeverGetsAConnectionLeavesTheAnswerUnproven) {
  FakeModel model = Prefork(4);
  model.workers_reached = 3;
  const Profile profile = Profiled(model);
  EXPECT_FALSE(profile.recommendation->verified);
  EXPECT_EQ(profile.recommendation->confidence, Confidence::kLow);
  EXPECT_EQ(profile.recommendation->workers.value().reached, 3);
  const Warning* warning = WarningOf(profile, "workersNotReached");
  ASSERT_NE(warning, nullptr);
  EXPECT_NE(warning->message.find("1 of 4 processes"), std::string::npos) << warning->message;
  EXPECT_TRUE(HasWarning(profile, "unverified"));
}

TEST(WorkersTest, AllAreLoadedAtTheLimitsTooWhereSeenRowsAreAnsweredFromMemory) {
  FakeModel model = Prefork(4);
  model.cpu_per_row = std::chrono::milliseconds(20);
  model.caches_responses = true;
  ProfilingBench bench(model);
  bench.RegisterInputs(TextRows(200));
  ASSERT_TRUE(bench.service().Create("default", ProfilingBench::Request("p", kBudget), {}));
  const Profile profile = bench.AwaitEnd("p");
  ASSERT_TRUE(HasWarning(profile, "responseCache"));
  ASSERT_TRUE(profile.recommendation);
  EXPECT_TRUE(profile.recommendation->verified);
  EXPECT_GE(profile.recommendation->requested.memory(), MiB(830));
}

TEST(WorkersTest, EachKindOfConnectionHasHalfOfALoadOrAllOfAShortOneOfARate) {
  using std::chrono::seconds;
  Objective both;
  both.latency_ms = {{"p95", 50}};
  both.connections = ConnectionUse::kBoth;
  const auto part_of = [&](std::chrono::nanoseconds time, std::chrono::nanoseconds longest) {
    return phases::PartOf({time, 59, longest}, both).time;
  };
  EXPECT_EQ(part_of(seconds(10), seconds(60)), seconds(5));
  EXPECT_EQ(part_of(seconds(4), seconds(60)), seconds(2));
  both.requests_per_second = 100;
  EXPECT_EQ(part_of(seconds(10), seconds(60)), seconds(5));
  EXPECT_EQ(part_of(seconds(4), seconds(60)), seconds(4)) << "as long as its queue remembers";
  EXPECT_EQ(part_of(seconds(4), seconds(6)), seconds(3)) << "there is no time for two";
}

TEST(WorkersTest, AModelOfOneProcessHasNoneAndKeepsItsConnections) {
  const Profile profile = Profiled({});
  EXPECT_EQ(profile.recommendation->workers, std::nullopt);
  EXPECT_EQ(profile.request.objective.connections, ConnectionUse::kKeepAlive);
  EXPECT_FALSE(HasWarning(profile, "workersNotReached"));
}

TEST(WorkersTest, ConnectionsThatWereAskedForStay) {
  Objective objective;
  objective.connections = ConnectionUse::kKeepAlive;
  const Profile profile = Profiled(Prefork(2), objective);
  EXPECT_EQ(profile.request.objective.connections, ConnectionUse::kKeepAlive);
  EXPECT_TRUE(profile.recommendation->verified);
  EXPECT_EQ(profile.recommendation->workers.value().reached, 2);
}

TEST(WorkersTest, ThoseThatTheServerReplacesAfterSomeRowsAreNoCrash) {
  FakeModel model = Prefork(2);
  model.rows_of_a_worker = 300;
  const Profile profile = Profiled(model);
  EXPECT_TRUE(profile.recommendation->verified);
  EXPECT_FALSE(HasWarning(profile, "workersLost"));
  EXPECT_FALSE(HasWarning(profile, "rowKills"));
  EXPECT_TRUE(HasWarning(profile, "workersReplaced"));
}

TEST(ReachWorkersTest, EndsAfterItsTries) {
  FakeModel model = Prefork(3);
  model.workers_reached = 1;
  LabBench bench(model);
  auto container = bench.lab.Launch(
      {LabBench::kCeiling, bench.setup, Seed(1), PageCache::kAsItIs, Use::kObjective});
  ASSERT_TRUE(container.has_value());
  ASSERT_TRUE((*container)->Start().has_value());
  bench.workload.cpu_seconds_per_query = 0.002;
  int bursts = 0;
  const auto seen =
      phases::ReachWorkers(bench.lab, **container, bench.workload, [&](const ReplayPlan& plan) {
        ++bursts;
        EXPECT_GE(plan.concurrency, 6);
        return (*container)->Replay(plan, bench.budget.end());
      });
  ASSERT_TRUE(seen);
  EXPECT_EQ(bursts, phases::kTries);
  EXPECT_EQ(seen->coverage.reached, 1);
  EXPECT_EQ(seen->coverage.count, 3);
}

TEST(ReachWorkersTest, CountsThoseThatDoNotStartAsNotReached) {
  LabBench bench(Prefork(2));
  auto container = bench.lab.Launch(
      {LabBench::kCeiling, bench.setup, Seed(1), PageCache::kAsItIs, Use::kObjective});
  ASSERT_TRUE(container.has_value());
  ASSERT_TRUE((*container)->Start().has_value());
  bench.workload.cpu_seconds_per_query = 0.002;
  bench.workload.workers = 3;  // as many as there were at the ceiling
  const auto seen = phases::ReachWorkers(
      bench.lab, **container, bench.workload,
      [&](const ReplayPlan& plan) { return (*container)->Replay(plan, bench.budget.end()); });
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->coverage.reached, 2);
  EXPECT_EQ(seen->coverage.count, 3);
}

// Of a row's mean at the ceiling.
std::size_t FreshVisitsAt(std::chrono::microseconds row) {
  FakeModel model = Prefork(2);
  model.cpu_per_row = row;
  LabBench bench(model);
  bench.workload.objective.connections = ConnectionUse::kBoth;
  auto container = bench.lab.Launch(
      {LabBench::kCeiling, bench.setup, Seed(1), PageCache::kAsItIs, Use::kObjective});
  EXPECT_TRUE(container && (*container)->Start());
  Look held;
  held.requests_per_second = 1e6 / static_cast<double>(row.count());
  const phases::Reference reference = phases::LookAtFresh(bench.lab, **container, bench.workload,
                                                          phases::WithLook({}, std::move(held)));
  return reference.fresh_looks.empty() ? 0 : reference.fresh_looks.front().visits.size();
}

TEST(FreshConnectionsTest, AreSeenAsOftenAsP99TakesWhereThatComesInTime) {
  EXPECT_GE(FreshVisitsAt(std::chrono::milliseconds(20)), 299U);
  const std::size_t slow = FreshVisitsAt(std::chrono::milliseconds(50));
  EXPECT_GE(slow, 59U);
  EXPECT_LT(slow, 100U);
}

ReplayResult HundredAnswersOf(std::uint32_t latency_us) {
  ReplayResult replay;
  replay.ended = std::chrono::seconds(1);
  for (int i = 0; i < 100; ++i) {
    RequestRecord request;
    request.latency_us = latency_us;
    request.http_status = 200;
    replay.requests.push_back(request);
  }
  return replay;
}

TEST(FreshConnectionsTest, AreJudgedBesideTheirOwnReference) {
  const Workload workload;
  const ReplayPlan plan;
  phases::Reference reference = phases::WithLook({}, phases::LookAt(plan, HundredAnswersOf(1000)));
  reference = phases::WithFreshLook(reference, phases::LookAt(plan, HundredAnswersOf(5000)));
  EXPECT_EQ(reference.p95_ms, 1);
  std::vector<Sample> throttled(2);
  throttled[1].at = std::chrono::seconds(1);
  throttled[1].periods = 10;
  throttled[1].throttled_periods = 5;
  EXPECT_TRUE(
      phases::JudgeFresh(workload, reference, plan, HundredAnswersOf(5000), throttled).passed);
  const Verdict slow =
      phases::JudgeFresh(workload, reference, plan, HundredAnswersOf(6000), throttled);
  EXPECT_FALSE(slow.passed);
  EXPECT_EQ(slow.shortage, ResourceKind::kCpu);
  EXPECT_TRUE(slow.fresh && slow.beside_reference);
  EXPECT_EQ(slow.sentence.find("with a connection for each request"), 0U);
  // A host that has become slower meanwhile: beside a look of now it is as without a limit.
  const auto now = phases::OnlyWithFresh(reference, phases::LookAt(plan, HundredAnswersOf(5800)));
  EXPECT_TRUE(phases::JudgeFresh(workload, now, plan, HundredAnswersOf(6000), throttled).passed);
}

}  // namespace
}  // namespace mlprof::server
