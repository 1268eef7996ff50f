#include "agent/sampling/serving_census.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mlprof::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kTable =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout "
    "inode\n"
    "   0: 00000000:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 "
    "30501 1 0000000000000000 100 0 0 10 0\n"
    "   1: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000     0        0 "
    "30777 1 0000000000000000 20 4 30 10 -1\n"
    "   2: 0100007F:1F91 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 "
    "30502 1 0000000000000000 100 0 0 10 0\n"
    "   3: 00000000000000000000000000000000:1F90 00000000000000000000000000000000:0000 0A "
    "00000000:00000000 00:00000000 00000000     0        0 30503 1 0000000000000000 100 0 0 10 0\n";

TEST(ServingCensusTest, FindsEverySocketThatListensOnThePort) {
  EXPECT_THAT(ParseListeners(kTable, 8080), ElementsAre(30501, 30503));
  EXPECT_THAT(ParseListeners(kTable, 8081), ElementsAre(30502));
  EXPECT_THAT(ParseListeners(kTable, 80), IsEmpty());
  EXPECT_THAT(ParseListeners("", 8080), IsEmpty());
  EXPECT_THAT(ParseListeners("no table\n:::\n", 8080), IsEmpty());
}

TEST(ServingCensusTest, ReadsAProcessWhoseNameIsMeantToConfuse) {
  const auto stat = ParseProcessStat(
      "42 (a) R (b) S 7 42 42 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 123456 1000 10 184467\n");
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->parent, 7);
  EXPECT_EQ(stat->started, 123456);
}

TEST(ServingCensusTest, HasNoProcessThatEndedAndWaits) {
  EXPECT_FALSE(ParseProcessStat("42 (worker) Z 7 42 42 0 -1 0 1 2 3 4 5 6 7 8 20 0 1 0 9 0\n"));
  EXPECT_FALSE(ParseProcessStat(""));
  EXPECT_FALSE(ParseProcessStat("42 (worker"));
  EXPECT_FALSE(ParseProcessStat("42 (worker) S 7 42"));
}

TEST(ServingCensusTest, CountsWhatAProcessHasForItselfAndCannotDrop) {
  EXPECT_EQ(ParsePrivateMemory("5581-7ffe ---p 00000000 00:00 0  [rollup]\n"
                               "Rss:              204800 kB\nPrivate_Clean:     1024 kB\n"
                               "Private_Dirty:     51200 kB\n"),
            MiB(50));
  EXPECT_FALSE(ParsePrivateMemory(""));
}

}  // namespace
}  // namespace mlprof::agent
