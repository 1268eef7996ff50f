#include "server/profiling/phases/limited_run.h"

#include <gtest/gtest.h>

#include "server/profiling/phases/sustained_load.h"
#include "tests/server/profiling/bare_run.h"

namespace mlprof::phases {
namespace {

// A row of the imitated model takes 2 ms at full speed.
constexpr double kFullSpeedMs = 2;

LimitedRun RunAt(BareRun& run, Cores cpu) {
  const LimitedRunPlan plan{{cpu, MiB(300)},
                            TrialPurpose::kVerification,
                            std::chrono::seconds(3),
                            59,
                            std::chrono::seconds(5)};
  auto done = RunAtLimits(run.context(), plan);
  EXPECT_TRUE(done) << "the run ended";
  return done ? *std::move(done) : LimitedRun();
}

TEST(LimitedRunTest, HoldsALimitBesideAHostThatHasBecomeSlowerAndTellsThat) {
  BareRun run;
  run.MeasuredInAmple(kFullSpeedMs / 2);  // the host was twice as fast then
  const LimitedRun held = RunAt(run, Cores(0.95));
  EXPECT_TRUE(held.verdict.passed) << held.verdict.sentence;
  EXPECT_EQ(held.trial.limits.cpu, Cores(0.95));
  EXPECT_TRUE(run.context().recorder.Warned("noisyHost"));
  EXPECT_TRUE(run.context().observed.noisy);
}

TEST(LimitedRunTest, FailsALimitThatIsTooSlowBesideTheHostOfNowToo) {
  BareRun run;
  run.MeasuredInAmple(kFullSpeedMs / 2);
  const LimitedRun slow = RunAt(run, Cores(0.8));
  EXPECT_FALSE(slow.verdict.passed);
  EXPECT_EQ(slow.verdict.shortage, Shortage::kCpu);
  EXPECT_EQ(slow.trial.limits.cpu, Cores(0.8));
}

TEST(LimitedRunTest, JudgesOtherSettingsBesideTheModelWithoutThem) {
  BareRun run;
  run.MeasuredInAmple(kFullSpeedMs / 2);
  run.context().environment = {{"OMP_NUM_THREADS", "1"}};
  EXPECT_FALSE(RunAt(run, Cores(0.95)).verdict.passed);
}

TEST(SustainedLoadTest, AContainerThatDoesNotBearTheObjectivesLoadLowersConfidence) {
  BareRun run;
  run.MeasuredInAmple(kFullSpeedMs);
  run.profile().findings.replay.emplace().requests_per_second = 10'000;
  Recommendation answer;
  answer.requested = {Cores(1.0), MiB(150)};  // serving takes 200
  answer.max_requests_per_second = 500;
  answer.confidence = answer.cpu.confidence = answer.memory.confidence = Confidence::kHigh;
  MeasureSustainedLoad(run.context(), answer);
  EXPECT_TRUE(run.context().recorder.Warned("unsteady"));
  EXPECT_EQ(answer.confidence, Confidence::kLow);
  EXPECT_EQ(answer.max_requests_per_second, 500);
}

}  // namespace
}  // namespace mlprof::phases
