#include "server/profiling/phases/preflight.h"

#include <sys/resource.h>

#include "common/log/log.h"
#include "server/analysis/latency.h"
#include "server/analysis/resource_use.h"
#include "server/profiling/phases/host_watch.h"
#include "server/profiling/phases/plans.h"
#include "server/profiling/phases/replay_bound.h"
#include "server/profiling/phases/shares.h"
#include "server/profiling/running_model.h"

namespace mlprof::phases {
namespace {

constexpr std::chrono::milliseconds kSerialTime{500};
constexpr std::chrono::milliseconds kFullTime{1000};
// As many in flight as saturate one core of a server that does nothing.
constexpr int kFullConcurrency = 16;
constexpr std::size_t kMostRequests = 20'000;

double OwnCpuMicroseconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto us = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_usec);
  };
  return us(usage.ru_utime) + us(usage.ru_stime);
}

ReplayResult ReplayNull(RunContext& context, RunningModel& target, int concurrency,
                        std::chrono::nanoseconds time) {
  ReplayPlan plan = ClosedPlan(context, concurrency, time);
  plan.max_requests = kMostRequests;
  return target.Replay(plan, context.budget());
}

void Measure(RunContext& context, RunningModel& target) {
  const HostWatch watch(context);
  const ReplayResult serial = ReplayNull(context, target, 1, kSerialTime);
  const double cpu_before = OwnCpuMicroseconds();
  const ReplayResult full = ReplayNull(context, target, kFullConcurrency, kFullTime);
  const double cpu = OwnCpuMicroseconds() - cpu_before;
  if (serial.requests.empty() || full.requests.empty() || full.failures > 0) return;

  const auto requests = static_cast<double>(full.requests.size());
  ReplayCapacity capacity;
  capacity.requests_per_second = full.Seconds() > 0 ? requests / full.Seconds() : 0;
  capacity.p50_ms = LatencyDistribution(serial.SuccessLatencies()).QuantileMs(0.5).value_or(0);
  capacity.controller_us_per_request = cpu / requests;
  context.profile().findings.replay = capacity;
  if (const auto asked = context.objective().requests_per_second)
    WarnIfReplayBound(context, *asked);

  const ResourceUse use = Summarize(target.session().Samples());
  NoteNoise(context, watch.End(context, use));
}

}  // namespace

PhaseResult<void> Preflight(RunContext& context) {
  context.recorder.EnterPhase(kPreflight, "checking the host and the replay itself");
  auto target = RunningModel::Launch(context, {context.ceiling, context.measuring_cpuset});
  if (!target) return tl::unexpected<RunEnd>(target.error());
  if ((*target)->StartNullTarget()) {
    Measure(context, **target);
  } else {
    // The check is a service to the user; the model may well run where it cannot.
    LogWarn("the null target did not start", {{"profile", context.profile().request.name}});
  }
  if (context.stop.stop_requested()) return Canceled();
  context.recorder.FinishPhase("done");
  return {};
}

}  // namespace mlprof::phases
