#include "server/analysis/memory_for_cpu.h"

#include <gtest/gtest.h>

namespace mlprof::server {
namespace {

const Limits kWithEnough{Cores(1.5), MiB(4144)};

FailedTry ShortAt(Bytes memory, std::optional<double> cost, Cores cpu = kWithEnough.cpu()) {
  FailedTry failed{{cpu, memory}, ResourceKind::kMemory};
  failed.collecting_cost = cost;
  return failed;
}

std::optional<double> DearerBy(const std::vector<FailedTry>& failed,
                               const std::vector<CostAt>& paid = {}) {
  const auto less = DearerWithLess(failed, paid, kWithEnough, 1.0);
  return less ? std::optional(less->cost) : std::nullopt;
}

TEST(DearerWithLessTest, TakesTheMostMemoryThatFellShort) {
  EXPECT_EQ(DearerBy({ShortAt(MiB(1184), 2.0), ShortAt(MiB(3936), 1.4), ShortAt(MiB(2368), 1.6)}),
            1.4);
}

TEST(DearerWithLessTest, TakesWhatHeldAtSuchACostToo) {
  EXPECT_EQ(DearerBy({ShortAt(MiB(1184), 2.0)}, {{{Cores(1.5), MiB(2368)}, 1.5}}), 1.5);
}

TEST(DearerWithLessTest, SaysNothingWhereItIsNotTheCostThatFellShort) {
  EXPECT_EQ(DearerBy({}), std::nullopt);
  EXPECT_EQ(DearerBy({ShortAt(MiB(2000), 1.6), ShortAt(MiB(3000), std::nullopt)}), std::nullopt)
      << "it was killed";
  EXPECT_EQ(DearerBy({ShortAt(MiB(3000), 1.05)}), std::nullopt) << "equal runs differ by as much";
}

TEST(DearerWithLessTest, SaysNothingByARunThatTellsOfSomethingElse) {
  FailedTry of_cpu = ShortAt(MiB(3936), 1.4);
  of_cpu.shortage = ResourceKind::kCpu;
  EXPECT_EQ(DearerBy({of_cpu}), std::nullopt);
  FailedTry on_a_busy_host = ShortAt(MiB(3936), 1.4);
  on_a_busy_host.disturbed = true;
  EXPECT_EQ(DearerBy({on_a_busy_host}), std::nullopt);
  EXPECT_EQ(DearerBy({ShortAt(MiB(4144), 1.4)}), std::nullopt) << "as much memory";
  EXPECT_EQ(DearerBy({ShortAt(MiB(3936), 1.4, Cores(1.4))}), std::nullopt) << "less CPU";
  EXPECT_EQ(DearerBy({ShortAt(MiB(3936), 1.4, Cores(1.6))}), 1.4) << "CPU was lowered later";
}

}  // namespace
}  // namespace mlprof::server
