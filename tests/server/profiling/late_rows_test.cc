#include <gtest/gtest.h>

#include "server/profiling/phases/load.h"

namespace mlprof::server::phases {
namespace {

Trial LateBy(double lag_ms, double used_cores) {
  Trial trial;
  trial.limits = Limits{Cores(2.0), GiB(1)};
  trial.send_lag_p99_ms = lag_ms;
  trial.measurements.latency_p50_ms = 40;  // a twentieth of it is 2 ms
  trial.measurements.max_utilized_cpu = used_cores;
  return trial;
}

TEST(LateRowsTest, AreToldFromATwentiethOfTheLatencyOn) {
  EXPECT_EQ(LateMs(LateBy(2.5, 1)), 2.5);
  EXPECT_EQ(LateMs(LateBy(1.5, 1)), std::nullopt);
}

TEST(LateRowsTest, AreNotToldOfAModelThatUsesAllOfItsCores) {
  EXPECT_EQ(LateMs(LateBy(2.5, 1.95)), std::nullopt);
}

}  // namespace
}  // namespace mlprof::server::phases
