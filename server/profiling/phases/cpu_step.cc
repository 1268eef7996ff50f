#include "server/profiling/phases/cpu_step.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "server/analysis/latency.h"
#include "server/profiling/phases/cpu_probe.h"

namespace mlprof::server::phases {
namespace {

constexpr std::chrono::seconds kStepTime{3};
constexpr std::chrono::seconds kLongestStep{6};
// Three that tell, and three that do not: the two fresh containers that they save take longer.
constexpr int kMostLoads = 6;
// Each of them is begun where the budget holds so many of the longest.
constexpr int kLoadsThatMustFit = 4;

// Two in three decide, as of fresh containers one step lower (tightness.h).
int LoadsToDecide(Cores cpu, Cores step) {
  const bool same =
      std::ceil(step.value()) == std::ceil(cpu.value()) &&
      std::floor(std::max(1.0, step.value())) == std::floor(std::max(1.0, cpu.value()));
  return same ? 2 : 1;
}

bool HasTime(Lab& lab) { return lab.budget().Left() > kLoadsThatMustFit * kLongestStep; }

enum class Told { kFails, kHolds, kNothing, kOver };

class Stepping {
 public:
  Stepping(Lab& lab, const Yardstick& yardstick, Container& container, Cores cpu,
           std::optional<double> usual_cost)
      : lab_(lab),
        yardstick_(yardstick),
        container_(container),
        cpu_(cpu),
        usual_cost_(usual_cost) {
    step_.limits = container.limits().With(Amount(cpu));
  }

  CpuStep Go() {
    const int to_decide = LoadsToDecide(container_.limits().cpu(), cpu_);
    const std::int64_t kills = container_.OomKills();
    int failures = 0;
    int holds = 0;
    for (int load = 0; load < kMostLoads && std::max(failures, holds) < to_decide; ++load) {
      if (!HasTime(lab_)) break;
      const Told told = Try();
      if (told == Told::kOver) break;
      if (told == Told::kFails) ++failures;
      if (told == Told::kHolds) ++holds;
    }
    if (failures == to_decide) step_.failures = failures;
    step_.killed = container_.OomKills() > kills;
    return step_;
  }

 private:
  Told Try() {
    const CpuProbe probe{cpu_,
                         {kStepTime, RequestsForConfidence(0.95), kLongestStep},
                         TrialPurpose::kTightness,
                         usual_cost_,
                         static_cast<std::size_t>(step_.requests)};  // other rows each time
    const Reference& reference = yardstick_.reference;
    const auto probed =
        ProbeCpu(lab_, container_, yardstick_.workload, probe, {reference, reference});
    if (!probed) return Told::kOver;
    step_.requests += probed->successes;
    if (probed->other_host || JudgeNoise(probed->noise).noisy) return Told::kNothing;
    if (probed->verdict.passed) return Told::kHolds;
    if (probed->verdict.shortage == ResourceKind::kMemory) return ShortOfMemory();
    if (probed->verdict.shortage != ResourceKind::kCpu) return Told::kOver;
    step_.tail = probed->verdict.tail;
    return Told::kFails;
  }

  // This container has held its memory. Once it may have read files back by chance; what does so
  // twice has too little of it to tell of CPU.
  Told ShortOfMemory() {
    return std::exchange(was_short_of_memory_, true) ? Told::kOver : Told::kNothing;
  }

  Lab& lab_;
  const Yardstick& yardstick_;
  Container& container_;
  const Cores cpu_;
  const std::optional<double> usual_cost_;
  bool was_short_of_memory_ = false;
  CpuStep step_;
};

}  // namespace

std::optional<CpuStep> TryCpuStep(Lab& lab, const Yardstick& yardstick, Container& container,
                                  std::optional<double> usual_cost) {
  const Objective& objective = yardstick.workload.objective;
  // What a request costs tells of a closed loop alone, and nothing of a device or a latency asked.
  const bool told_by_cost = usual_cost && !objective.requests_per_second &&
                            objective.latency_ms.empty() && !container.limits().device_memory();
  const bool same_model = yardstick.setup.environment.empty() && !yardstick.workload.each_row_once;
  const bool has_time = !lab.stopped() && HasTime(lab);
  const auto step = OneStepLower(Amount(container.limits().cpu()));
  if (!told_by_cost || !same_model || !has_time || !step) return std::nullopt;
  return Stepping(lab, yardstick, container, step->cores(), usual_cost).Go();
}

}  // namespace mlprof::server::phases
