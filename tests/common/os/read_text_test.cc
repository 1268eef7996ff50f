#include "common/os/read_text.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace mlprof {
namespace {

TEST(ReadTextTest, GivesAFilesBytes) {
  EXPECT_EQ(ReadText("/proc/self/comm").empty(), false);
  EXPECT_EQ(ReadText("/proc/self/no-such-file"), "");
}

// As of a process that ended between the open and the read: the read itself is refused.
TEST(ReadTextTest, GivesNothingWhereTheKernelRefusesTheRead) {
  EXPECT_EQ(ReadText("/proc/self/mem"), "");
}

}  // namespace
}  // namespace mlprof
