#include "agent/relay/due_rows.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace mlprof::agent {
namespace {

using agent_protocol::RowView;
using std::chrono::milliseconds;

RowView DueAt(std::uint64_t id, Clock::time_point due) {
  return {id, false, "body", due.time_since_epoch()};
}

struct Left {
  std::uint64_t id = 0;
  std::string body;
  Clock::time_point at{};
};

// What left until `count` rows had.
std::vector<Left> LeftOf(const std::vector<RowView>& rows, Clock::time_point now) {
  auto loop = EventLoop::Open();
  EXPECT_TRUE(loop);
  std::vector<Left> left;
  DueRows due_rows(*loop, [&](const RowView& row, Clock::time_point at) {
    left.push_back({row.id, std::string(row.body), at});
    if (left.size() == rows.size()) loop->Stop();
  });
  for (const RowView& row : rows) EXPECT_TRUE(due_rows.Keep(row, now)) << row.id;
  loop->Run([] {});
  return left;
}

TEST(DueRowsTest, LeaveInTheOrderInWhichTheyCameAndNotBeforeTheirTime) {
  const auto now = Clock::now();
  const auto left = LeftOf({DueAt(1, now + milliseconds(20)), DueAt(2, now + milliseconds(10)),
                            DueAt(3, now + milliseconds(40))},
                           now);
  ASSERT_EQ(left.size(), 3U);
  EXPECT_EQ(left[0].id, 1U);
  EXPECT_EQ(left[1].id, 2U);
  EXPECT_EQ(left[2].id, 3U);
  EXPECT_EQ(left[2].body, "body");
  EXPECT_GE(left[0].at, now + milliseconds(20));
  EXPECT_GE(left[2].at, now + milliseconds(40));
}

TEST(DueRowsTest, KeepNoneWhoseTimeHasComeUnlessOthersAreAheadOfIt) {
  auto loop = EventLoop::Open();
  ASSERT_TRUE(loop);
  DueRows due_rows(*loop, [](const RowView&, Clock::time_point) {});
  const auto now = Clock::now();
  EXPECT_FALSE(due_rows.Keep({1, false, "body"}, now));
  EXPECT_FALSE(due_rows.Keep(DueAt(2, now), now));
  EXPECT_TRUE(due_rows.Keep(DueAt(3, now + milliseconds(50)), now));
  EXPECT_TRUE(due_rows.Keep(DueAt(4, now), now));
}

TEST(DueRowsTest, WaitForNoTimeOfAnotherClock) {
  auto loop = EventLoop::Open();
  ASSERT_TRUE(loop);
  DueRows due_rows(*loop, [](const RowView&, Clock::time_point) {});
  const auto now = Clock::now();
  EXPECT_FALSE(due_rows.Keep(DueAt(1, now + std::chrono::hours(1)), now));
}

}  // namespace
}  // namespace mlprof::agent
