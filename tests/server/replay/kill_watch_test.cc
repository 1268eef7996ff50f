#include "server/replay/kill_watch.h"

#include <gtest/gtest.h>

namespace mlprof::server {
namespace {

using agent_protocol::RowFailure;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr KillWatch::Time kSent = seconds(5);

RequestRecord Request(std::uint32_t row, RowFailure failure) {
  RequestRecord request;
  request.row = row;
  request.failure = failure;
  if (failure == RowFailure::kNone) request.http_status = 200;
  return request;
}

// The row leaves, and its connection breaks at `now`.
void Break(KillWatch& watch, std::uint32_t row, KillWatch::Time now) {
  watch.RowSent();
  watch.RowResponded(Request(row, RowFailure::kReset), now);
}

TEST(KillWatchTest, NamesTheRowWhoseConnectionBrokeShortlyBeforeTheWordOfADeath) {
  KillWatch watch;
  Break(watch, 7, kSent);
  ASSERT_TRUE(watch.held_until());
  EXPECT_FALSE(watch.killer());
  watch.ProcessDied(kSent + milliseconds(300));
  EXPECT_EQ(watch.killer(), 7U);
}

TEST(KillWatchTest, NamesTheRowWhereTheWordCameBeforeItsResponse) {
  for (const RowFailure failure :
       {RowFailure::kReset, RowFailure::kConnect, RowFailure::kTimeout}) {
    KillWatch watch;
    watch.RowSent();
    watch.ProcessDied(kSent);
    watch.RowResponded(Request(7, failure), kSent + milliseconds(1));
    EXPECT_EQ(watch.killer(), 7U);
  }
}

TEST(KillWatchTest, LetsTheNextRowLeaveWhereNoWordComes) {
  KillWatch watch;
  Break(watch, 7, kSent);
  watch.Pass(kSent + milliseconds(100));
  EXPECT_TRUE(watch.held_until());
  watch.Pass(*watch.held_until());
  EXPECT_FALSE(watch.held_until());
  EXPECT_FALSE(watch.killer());
}

TEST(KillWatchTest, BlamesNoRowForADeathOfBeforeOrOfAfterIt) {
  KillWatch watch;
  watch.ProcessDied(kSent);
  Break(watch, 7, kSent);
  EXPECT_FALSE(watch.killer());
  watch.Pass(*watch.held_until());
  watch.ProcessDied(kSent + seconds(1));
  EXPECT_FALSE(watch.killer());
}

TEST(KillWatchTest, BlamesNoRowThatGotAResponse) {
  KillWatch watch;
  watch.RowSent();
  watch.ProcessDied(kSent);
  for (const RowFailure failure : {RowFailure::kNone, RowFailure::kMalformed}) {
    watch.RowResponded(Request(7, failure), kSent + milliseconds(1));
    EXPECT_FALSE(watch.killer());
    EXPECT_FALSE(watch.held_until());
  }
}

TEST(KillWatchTest, WaitsAfterADeathUntilTheEndOfTheReplacementWouldBeTold) {
  KillWatch watch;
  Break(watch, 7, kSent);
  watch.ProcessDied(kSent);
  EXPECT_GT(*watch.held_until(), kSent + seconds(2));
  watch.Pass(*watch.held_until());
  EXPECT_FALSE(watch.held_until());
  EXPECT_EQ(watch.killer(), 7U);
}

TEST(KillWatchTest, WaitsOnceForARow) {
  KillWatch watch;
  Break(watch, 7, kSent);
  watch.Pass(*watch.held_until());
  Break(watch, 7, kSent + seconds(1));
  EXPECT_FALSE(watch.held_until());
}

TEST(KillWatchTest, WaitsNoMoreForAServerThatBreaksManyConnections) {
  KillWatch watch;
  std::uint32_t row = 0;
  KillWatch::Time now = kSent;
  for (Break(watch, row, now); watch.held_until(); Break(watch, ++row, now)) {
    now = *watch.held_until();
    watch.Pass(now);
    ASSERT_LT(row, 20U);
  }
  EXPECT_GT(row, 3U);
}

TEST(KillWatchTest, ForgetsTheRowOfAReplayThatWasCutShort) {
  KillWatch watch;
  Break(watch, 7, kSent);
  watch.Begin();
  EXPECT_FALSE(watch.held_until());
  watch.ProcessDied(kSent);
  EXPECT_FALSE(watch.killer());
}

}  // namespace
}  // namespace mlprof::server
