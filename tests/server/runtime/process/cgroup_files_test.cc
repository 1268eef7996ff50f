#include "server/runtime/process/cgroup/cgroup_files.h"

#include <gtest/gtest.h>

namespace mlprof::server::process {
namespace {

using Writes = std::vector<CgroupWrite>;

TEST(CgroupFiles, GiveTheQuotaOfAHundredMilliseconds) {
  EXPECT_EQ(CpuWrites(1, Cores(0.4)),
            (Writes{{"cpu", "cpu.cfs_period_us", "100000"}, {"cpu", "cpu.cfs_quota_us", "40000"}}));
  EXPECT_EQ(CpuWrites(2, Cores(1.5)), (Writes{{"cpu", "cpu.max", "150000 100000"}}));
}

TEST(CgroupFiles, LimitMemoryWithoutSwap) {
  EXPECT_EQ(MemoryWrites(1, MiB(64), true),
            (Writes{{"memory", "memory.limit_in_bytes", "67108864"},
                    {"memory", "memory.memsw.limit_in_bytes", "67108864", false},
                    {"memory", "memory.swappiness", "0", false}}));
  EXPECT_EQ(MemoryWrites(2, MiB(64), false), (Writes{{"memory", "memory.max", "67108864"},
                                                     {"memory", "memory.swap.max", "0", false}}));
  EXPECT_EQ(MemoryWrites(2, MiB(64), true), (Writes{{"memory", "memory.max", "67108864"},
                                                    {"memory", "memory.swap.max", "0", true}}));
}

TEST(CgroupFiles, KnowAMachineWithSwap) {
  EXPECT_TRUE(HasSwap("Filename\tType\n/dev/sda2\tpartition\n"));
  EXPECT_FALSE(HasSwap("Filename\tType\n"));
  EXPECT_FALSE(HasSwap(""));
}

TEST(CgroupFiles, TellKillsForMemoryInBothVersions) {
  EXPECT_EQ(OomKillsIn("oom_kill_disable 0\nunder_oom 0\noom_kill 2\n"), 2);
  EXPECT_EQ(OomKillsIn("low 0\nhigh 0\nmax 7\noom 3\noom_kill 1\n"), 1);
  EXPECT_EQ(OomKillsIn(""), 0);
}

TEST(CgroupFiles, KnowNoLimitFromOne) {
  EXPECT_EQ(MemoryLimitIn("9223372036854771712\n"), std::nullopt);
  EXPECT_EQ(MemoryLimitIn("max\n"), std::nullopt);
  EXPECT_EQ(MemoryLimitIn("1073741824\n"), GiB(1));
  EXPECT_EQ(CpuLimitIn("-1\n", "100000\n"), std::nullopt);
  EXPECT_EQ(CpuLimitIn("150000\n", "100000\n"), Cores(1.5));
  EXPECT_EQ(CpuLimitIn("max 100000\n", ""), std::nullopt);
  EXPECT_EQ(CpuLimitIn("200000 100000\n", ""), Cores(2));
}

}  // namespace
}  // namespace mlprof::server::process
