// Runs of an imitated model at limits, beside a reference that is made up.
#pragma once

#include <gtest/gtest.h>

#include <utility>

#include "server/profiling/phases/limited_run.h"
#include "tests/server/profiling/lab_bench.h"

namespace mlprof::server::phases {

// A row of the imitated model takes 2 ms at full speed.
inline constexpr double kFullSpeedMs = 2;

inline LimitedRunPlan PlanAt(Cores cpu) {
  return {{cpu, MiB(300)},
          TrialPurpose::kVerification,
          {std::chrono::seconds(3), 59, std::chrono::seconds(5)}};
}

inline LimitedRun RunAt(LabBench& bench, const Yardstick& yardstick, Cores cpu) {
  auto done = RunAtLimits(bench.lab, yardstick, PlanAt(cpu));
  EXPECT_TRUE(done) << "the run ended";
  return done ? *std::move(done) : LimitedRun();
}

}  // namespace mlprof::server::phases
