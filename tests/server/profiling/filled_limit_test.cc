#include "server/profiling/phases/filled_limit.h"

#include <gtest/gtest.h>

#include "tests/server/profiling/lab_bench.h"

namespace mlprof::server::phases {
namespace {

LimitedRun Took(Bytes memory, Bytes files, Bytes limit) {
  LimitedRun run;
  run.trial.limits = {Cores(1.0), limit};
  run.use.peak_unreclaimable = memory;
  run.use.peak_cache = files;
  return run;
}

TEST(FilledLimitTest, DoubtsARunThatTookLessThanAtTheCeilingInAFullLimit) {
  const LabBench bench;
  Yardstick yardstick = bench.MeasuredAt(2);
  yardstick.at_ceiling.memory = MiB(130);
  EXPECT_TRUE(TookLessWhereFull(yardstick, Took(MiB(122), MiB(16), MiB(144))));
  EXPECT_FALSE(TookLessWhereFull(yardstick, Took(MiB(129), MiB(12), MiB(144))))
      << "it took as much as there";
  EXPECT_FALSE(TookLessWhereFull(yardstick, Took(MiB(122), MiB(16), MiB(176))))
      << "nothing kept it from taking more";
}

}  // namespace
}  // namespace mlprof::server::phases
