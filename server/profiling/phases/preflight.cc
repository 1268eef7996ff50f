#include "server/profiling/phases/preflight.h"

#include <sys/resource.h>

#include "common/log/log.h"
#include "server/analysis/latency.h"
#include "server/analysis/resource_use.h"
#include "server/profiling/phases/quiet.h"

namespace mlprof::server::phases {
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

ReplayResult ReplayNull(Lab& lab, Container& target, const Workload& workload, int concurrency,
                        std::chrono::nanoseconds time) {
  ReplayPlan plan = ClosedPlan(workload, concurrency, time);
  plan.max_requests = kMostRequests;
  return target.Replay(plan, lab.budget().end());
}

std::optional<ReplayCapacity> Measure(Lab& lab, Container& target, const Workload& workload) {
  const auto watch = target.WatchHost();
  const ReplayResult serial = ReplayNull(lab, target, workload, 1, kSerialTime);
  const double cpu_before = OwnCpuMicroseconds();
  const ReplayResult full = ReplayNull(lab, target, workload, kFullConcurrency, kFullTime);
  const double cpu = OwnCpuMicroseconds() - cpu_before;
  if (serial.requests.empty() || full.requests.empty() || full.failures > 0) return std::nullopt;

  const auto requests = static_cast<double>(full.requests.size());
  ReplayCapacity capacity;
  capacity.requests_per_second = full.Seconds() > 0 ? requests / full.Seconds() : 0;
  capacity.p50_ms = LatencyDistribution(serial.SuccessLatencies()).QuantileMs(0.5).value_or(0);
  capacity.controller_us_per_request = cpu / requests;
  lab.host().Judge(watch.End(Summarize(target.Samples())));
  return capacity;
}

}  // namespace

PhaseResult<std::optional<ReplayCapacity>> Preflight(Lab& lab, const Setup& setup,
                                                     const Workload& workload, bool when_quiet) {
  MLPROF_LET(target, lab.Launch({lab.ceiling(), setup, lab.NextSeed(), PageCache::kAsItIs,
                                 Use::kObjective}));
  if (when_quiet) AwaitQuiet(lab, *target);
  std::optional<ReplayCapacity> capacity;
  if (target->StartNullTarget()) {
    capacity = Measure(lab, *target, workload);
  } else {
    LogWarn("the null target did not start", {{"profile", lab.subject().profile_id}});
  }
  target->Close();
  if (lab.stopped()) return Canceled();
  return capacity;
}

bool IsReplayBound(const std::optional<ReplayCapacity>& capacity, double requests_per_second) {
  if (!capacity || capacity->requests_per_second <= 0) return false;
  return capacity->requests_per_second < kReplayHeadroom * requests_per_second;
}

}  // namespace mlprof::server::phases
