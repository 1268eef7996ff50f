#include "server/profiling/lab/container_facts.h"

#include <gtest/gtest.h>

#include "tests/server/profiling/lab_bench.h"

namespace mlprof::server {
namespace {

TEST(ContainerLogsTest, StandOneAfterAnother) {
  ContainerLogs logs;
  EXPECT_TRUE(logs.empty());
  logs.Add(1, "one\n");
  logs.Add(2, "");
  logs.Add(3, "no line end");
  EXPECT_EQ(logs.Text(), "--- container 1\none\n--- container 3\nno line end\n");
}

TEST(ContainerLogsTest, LoseWhatCameFirstAndSaySo) {
  ContainerLogs logs(Bytes(32));
  logs.Add(1, "first\nsecond\n");
  EXPECT_EQ(logs.Text(), "--- container 1\nfirst\nsecond\n");
  logs.Add(2, "third\n");
  EXPECT_EQ(logs.Text(), "--- the first 22 bytes are left out\nsecond\n--- container 2\nthird\n");
}

TEST(ContainerLogsTest, CutALineThatIsTooLong) {
  ContainerLogs logs(Bytes(8));
  logs.Add(1, "0123456789");
  EXPECT_EQ(logs.Text(), "--- the first 19 bytes are left out\n3456789\n");
}

// The profile's own log is a short one, of every container its end.
TEST(ContainerLogsTest, HoldMoreOfAContainerThanTheJournalsLog) {
  FakeModel model;
  model.log = "the first line\n" + std::string(200'000, 'x') + "\n";
  LabBench bench(model);
  auto container = bench.lab.Launch({{Cores(2.0), GiB(4)},
                                     bench.setup,
                                     bench.lab.NextSeed(),
                                     PageCache::kAsItIs,
                                     Use::kObjective});
  ASSERT_TRUE(container.has_value());
  (*container)->Close();
  EXPECT_EQ(bench.lab.logs().Text(), "--- container 1\n" + model.log);
  EXPECT_LT(bench.journal.log.size(), 70'000U);
  EXPECT_TRUE(bench.journal.log.ends_with("x\n"));
}

}  // namespace
}  // namespace mlprof::server
