#include "server/analysis/successors.h"

#include <gtest/gtest.h>

namespace mlprof::server {
namespace {

TEST(SuccessorsTest, AllWorkersMayBeThereTwiceWhereOneWasSeenToBe) {
  EXPECT_EQ(BeyondPeakForSuccessors(MiB(204), MiB(304), 2, MiB(100)), MiB(100));
  EXPECT_EQ(BeyondPeakForSuccessors(MiB(404), MiB(504), 4, MiB(100)), MiB(300));
}

TEST(SuccessorsTest, TakesNothingWhereThePeakHasThemAll) {
  EXPECT_EQ(BeyondPeakForSuccessors(MiB(204), MiB(410), 2, MiB(100)), Bytes());
}

TEST(SuccessorsTest, TakesNothingWhereWorkersLeaveFirst) {
  EXPECT_EQ(BeyondPeakForSuccessors(MiB(204), MiB(210), 2, MiB(100)), Bytes());
  EXPECT_EQ(BeyondPeakForSuccessors(MiB(204), MiB(104), 2, MiB(100)), Bytes());
}

}  // namespace
}  // namespace mlprof::server
