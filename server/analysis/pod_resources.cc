#include "server/analysis/pod_resources.h"

#include <algorithm>

#include "server/analysis/sentence.h"
#include "server/analysis/verdict.h"

namespace mlprof::server {
namespace {

constexpr std::int64_t kStepMillicores = 10;  // of a request; the mean is no surer than that
constexpr double kRuleOfThree = 3;

Cores RequestFor(double cores, Cores answer) {
  const auto steps = static_cast<std::int64_t>(cores * 1000 / kStepMillicores) + 1;
  // A request above its limit is refused.
  return std::min(Cores::FromMillicores(steps * kStepMillicores), answer);
}

std::string CostAtAnswer(const Limits& answer, const UseAtAnswer& use) {
  std::string cost = Sentence("at %.1f cores the quota stopped the model in %.0f%% of its periods",
                              answer.cpu().value(), 100 * use.throttled_share);
  if (use.p99_ms) cost += Sentence(", and p99 was %.3g ms", *use.p99_ms);
  return cost;
}

const CpuPoint* PointAt(std::span<const CpuPoint> points, Cores cpu) {
  const auto at = std::find_if(points.begin(), points.end(),
                               [&](const CpuPoint& point) { return point.cpu == cpu; });
  return at == points.end() ? nullptr : &*at;
}

std::string Because(const Limits& answer, const UseAtAnswer& use, std::span<const CpuPoint> points,
                    const std::optional<Cores>& limit) {
  if (limit == answer.cpu()) {
    return Sentence("the quota of %.1f cores stopped next to nothing", limit->value());
  }
  std::string because = CostAtAnswer(answer, use);
  if (!limit) return because + "; no limit was tried that stopped nothing, so set none";
  because += Sentence("; at %.1f cores it stopped next to nothing", limit->value());
  const CpuPoint* free = PointAt(points, *limit);
  if (free != nullptr && free->p99_ms) because += Sentence(" (p99 %.3g ms)", *free->p99_ms);
  return because;
}

}  // namespace

std::optional<Cores> ThrottleFree(std::span<const CpuPoint> points, Cores answer) {
  std::optional<Cores> least;
  for (const CpuPoint& point : points) {
    if (point.cpu <= answer || point.throttled_share >= kUnboundShare) continue;
    if (!least || point.cpu < *least) least = point.cpu;
  }
  return least;
}

PodResources PodResourcesOf(const Limits& answer, const UseAtAnswer& use,
                            std::span<const CpuPoint> points, std::optional<Cores> startup_cpu) {
  PodResources pod;
  pod.requests_cpu = RequestFor(use.cores, answer.cpu());
  pod.limits_cpu =
      use.throttled_share < kUnboundShare ? answer.cpu() : ThrottleFree(points, answer.cpu());
  pod.memory = answer.memory();
  pod.startup_cpu = startup_cpu;
  pod.because = Because(answer, use, points, pod.limits_cpu);
  return pod;
}

std::optional<RareEvents> BoundOfUnseen(std::int64_t requests) {
  if (requests <= 0) return std::nullopt;
  return RareEvents{requests, std::min(1.0, kRuleOfThree / static_cast<double>(requests))};
}

}  // namespace mlprof::server
