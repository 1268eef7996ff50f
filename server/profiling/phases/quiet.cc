#include "server/profiling/phases/quiet.h"

#include "server/analysis/noise.h"

namespace mlprof::server::phases {
namespace {

// Longer than the second of a preflight, and short enough to use a pause. Chosen, not measured.
constexpr std::chrono::seconds kQuietStretch{3};
constexpr int kQuietOnEnd = 2;
constexpr std::chrono::hours kLongestWait{1};
constexpr std::chrono::milliseconds kLookAtStop{100};

// False where the run was stopped.
bool Rest(const Lab& lab, std::chrono::nanoseconds time) {
  const auto until = lab.clock().Now() + time;
  while (!lab.stopped() && lab.clock().Now() < until) {
    lab.clock().SleepUntil(std::min(until, lab.clock().Now() + kLookAtStop));
  }
  return !lab.stopped();
}

// By other work alone: idle cores clock themselves down, which is no noise.
NoiseVerdict JudgeOtherWork(const NoiseEvidence& seen) {
  NoiseEvidence evidence;
  evidence.foreign_cores = seen.foreign_cores;
  evidence.host_cores = seen.host_cores;
  evidence.steal_share = seen.steal_share;
  return JudgeNoise(evidence);
}

}  // namespace

void AwaitQuiet(Lab& lab, const Container& idle) {
  HostWatch own;
  const auto began = lab.clock().Now();
  int quiet = 0;
  while (quiet < kQuietOnEnd && lab.clock().Now() - began < kLongestWait) {
    const auto watch = idle.WatchHost(own);
    if (!Rest(lab, kQuietStretch)) return;
    const NoiseVerdict verdict = JudgeOtherWork(watch.End({}));
    if (!own.noise().unknown.empty()) return;
    quiet = verdict.noisy ? 0 : quiet + 1;
    lab.Progressed(0, "waiting for a quiet host: " + verdict.sentence);
  }
}

}  // namespace mlprof::server::phases
