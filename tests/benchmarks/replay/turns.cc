#include "tests/benchmarks/replay/turns.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "tests/benchmarks/replay/host_use.h"
#include "tests/benchmarks/replay/in_network.h"

namespace mlprof::server::bench {
namespace {

constexpr const char* kBody = R"({"data": [1, 2, 3, 4]})";

double Seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

double Quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const auto at = static_cast<std::size_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
  return values[at];
}

template <class Get>
std::vector<double> Each(const ReplayResult& result, const Get& get) {
  std::vector<double> values;
  values.reserve(result.requests.size());
  for (const RequestRecord& request : result.requests) values.push_back(get(request));
  return values;
}

// CPU time of the container between the samples that lie in a stretch, scaled to the whole of it.
struct ContainerUse {
  double agent_seconds = 0;
  double target_seconds = 0;
};

ContainerUse UseBetween(const std::vector<Sample>& samples, std::chrono::nanoseconds began,
                        std::chrono::nanoseconds ended) {
  const Sample* first = nullptr;
  const Sample* last = nullptr;
  for (const Sample& sample : samples) {
    if (sample.at < began || sample.at > ended) continue;
    if (first == nullptr) first = &sample;
    last = &sample;
  }
  if (first == last) throw std::runtime_error("the agent took no samples");
  const double scale = Seconds(ended - began) / Seconds(last->at - first->at);
  return {Seconds(last->agent_cpu_time - first->agent_cpu_time) * scale,
          Seconds(last->cpu_time - first->cpu_time) * scale};
}

void AddTargetTimes(BenchContainer& container, const ReplayOptions& options, Json& figures) {
  if (!options.sleeper) return;
  const TargetTimes times = AskTargetTimes(container.pid());
  figures["targetP50InUs"] = times.p50_us;
  figures["targetP99InUs"] = times.p99_us;
  figures["errorP50"] = figures["latencyP50InUs"].get<double>() / times.p50_us - 1;
  figures["errorP99"] = figures["latencyP99InUs"].get<double>() / times.p99_us - 1;
}

ReplayPlan PlanFor(const ReplayOptions& options) {
  ReplayPlan plan;
  plan.order = {0};
  plan.concurrency = options.concurrency;
  plan.max_time = options.turn;
  if (options.rate) {
    plan.open_loop = OpenLoop{*options.rate};
    plan.open_loop->ahead = options.ahead;
  }
  return plan;
}

}  // namespace

Json ReplayTurn(BenchContainer& container, const ReplayOptions& options) {
  const HeldRows rows({kBody});
  const HostUse before = ReadHostUse();
  const ReplayResult result = container.session().Replay(
      rows, PlanFor(options), {}, Deadline::After(options.turn + std::chrono::seconds(30)));
  const HostUse after = ReadHostUse();
  if (result.target_lost || result.requests.empty()) {
    throw std::runtime_error("the target was lost");
  }
  const ContainerUse use = UseBetween(container.session().Samples(), result.began, result.ended);
  const auto count = static_cast<double>(result.requests.size());
  const auto latency = Each(result, [](const auto& request) { return request.latency_us; });
  const auto service = Each(result, [](const auto& request) { return request.service_us; });
  const auto added = Each(result, [](const RequestRecord& request) {
    return static_cast<double>(request.latency_us) - static_cast<double>(request.service_us);
  });
  Json figures = {
      {"requestsPerSecond", count / result.Seconds()},
      {"failures", result.failures},
      {"latencyP50InUs", Quantile(latency, 0.5)},
      {"latencyP99InUs", Quantile(latency, 0.99)},
      {"addedP50InUs", Quantile(added, 0.5)},
      {"addedP99InUs", Quantile(added, 0.99)},
      {"serviceP99InUs", Quantile(service, 0.99)},
      {"clientCpuPerRequestInUs", (after.own_seconds - before.own_seconds) / count * 1e6},
      {"agentCpuPerRequestInUs", use.agent_seconds / count * 1e6},
      {"targetCpuPerRequestInUs", use.target_seconds / count * 1e6},
      {"foreignCores", ForeignCores(before, after, use.agent_seconds + use.target_seconds)}};
  if (options.rate) {
    const auto lag = Each(result, [](const auto& request) { return request.lag_us; });
    figures["lagP50InUs"] = Quantile(lag, 0.5);
    figures["lagP99InUs"] = Quantile(lag, 0.99);
    figures["lagMaxInUs"] = Quantile(lag, 1);
    figures["lateRequests"] = result.late;
  }
  AddTargetTimes(container, options, figures);
  return figures;
}

Json WrkTurn(BenchContainer& container, const ReplayOptions& options) {
  const HostUse before = ReadHostUse();
  const WrkFigures wrk = RunWrk(container.pid(), options.concurrency, options.turn, kBody);
  const HostUse after = ReadHostUse();
  const ContainerUse use = UseBetween(container.session().Samples(), before.at, after.at);
  Json figures = {
      {"requestsPerSecond", wrk.requests / wrk.seconds},
      {"failures", wrk.failures},
      {"latencyP50InUs", wrk.p50_us},
      {"latencyP99InUs", wrk.p99_us},
      {"clientCpuPerRequestInUs", wrk.cpu_seconds / wrk.requests * 1e6},
      {"targetCpuPerRequestInUs", use.target_seconds / wrk.requests * 1e6},
      {"foreignCores",
       ForeignCores(before, after, use.agent_seconds + use.target_seconds + wrk.cpu_seconds)}};
  AddTargetTimes(container, options, figures);
  return figures;
}

}  // namespace mlprof::server::bench
