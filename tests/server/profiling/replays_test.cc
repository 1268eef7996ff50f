#include "server/profiling/phases/replays.h"

#include <gtest/gtest.h>

#include "tests/server/profiling/profiling_bench.h"

namespace mlprof::server::phases {
namespace {

// Rows with an even number fail, and are allowed to.
Profile ProfileHalfFailing(FakeModel model) {
  model.status = [](const std::string& row) { return (row.back() - '0') % 2 == 0 ? 500 : 200; };
  ProfilingBench bench(model);
  bench.RegisterInputs(TextRows(20));
  ProfileRequest request = bench.Request("p", std::chrono::seconds(300));
  request.objective.max_error_rate = 0.7;
  EXPECT_TRUE(bench.service().Create("default", request, {}).has_value());
  return bench.AwaitEnd("p");
}

TEST(AppendTest, KeepsWhatARateIsJudgedBy) {
  ReplayResult part;
  part.requests.resize(10);
  part.ended = part.last_due = std::chrono::seconds(4);
  part.unsent = 30;
  part.late = 5;
  ReplayResult all;
  Append(all, part);
  Append(all, part);
  EXPECT_EQ(all.requests.size(), 20U);
  EXPECT_EQ(all.unsent, 60);
  EXPECT_EQ(all.late, 10);
  EXPECT_EQ(all.last_due, std::chrono::seconds(4));
}

TEST(CpuSecondsPerQueryTest, IsWhatAResponseTakesWhereHalfOfTheRowsFailAtOnce) {
  FakeModel model;
  model.fails_for_nothing = true;
  const Profile profile = ProfileHalfFailing(model);
  ASSERT_EQ(profile.state, ProfileState::kSucceeded)
      << (profile.error ? profile.error->message : "");
  ASSERT_TRUE(profile.measurements->cpu_seconds_per_query);
  EXPECT_LT(profile.measurements->success_queries, profile.measurements->total_queries);
  EXPECT_NEAR(*profile.measurements->cpu_seconds_per_query, 0.002, 1e-5);
}

TEST(CpuSecondsPerQueryTest, LeavesOutWhatFailuresTake) {
  const Profile profile = ProfileHalfFailing({});
  ASSERT_EQ(profile.state, ProfileState::kSucceeded)
      << (profile.error ? profile.error->message : "");
  ASSERT_TRUE(profile.measurements->cpu_seconds_per_query);
  EXPECT_NEAR(*profile.measurements->cpu_seconds_per_query, 0.002, 1e-5);
}

TEST(AppendTest, TheLastRowThatLeftIsThatOfTheLastPart) {
  ReplayResult all;
  ReplayResult part;
  part.last_sent = 3;
  Append(all, part);
  part.last_sent = 7;
  Append(all, part);
  EXPECT_EQ(all.last_sent, 7u) << "a model that died in it had that row";
  Append(all, ReplayResult());
  EXPECT_EQ(all.last_sent, 7u) << "nothing left in this one";
}

}  // namespace
}  // namespace mlprof::server::phases
