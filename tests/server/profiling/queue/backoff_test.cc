#include "server/profiling/queue/backoff.h"

#include <gtest/gtest.h>

namespace mlprof::server {
namespace {

using std::chrono::milliseconds;

TEST(BackoffTest, DoublesUpToTheMostAndBeginsAnew) {
  Backoff backoff(milliseconds(500), milliseconds(1500));
  EXPECT_EQ(backoff.Next(), milliseconds(500));
  EXPECT_EQ(backoff.Next(), milliseconds(1000));
  EXPECT_EQ(backoff.Next(), milliseconds(1500));
  EXPECT_EQ(backoff.Next(), milliseconds(1500));
  backoff.Reset();
  EXPECT_EQ(backoff.Next(), milliseconds(500));
}

}  // namespace
}  // namespace mlprof::server
