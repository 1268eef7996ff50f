#include "server/profiling/phases/plateau.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/time/seconds.h"
#include "server/analysis/memory_plateau.h"
#include "server/analysis/resource_use.h"
#include "server/profiling/phases/replays.h"

namespace mlprof::server::phases {
namespace {

// 45 windows at most: more than the 30 that find a faint leak (server/analysis/memory_plateau.h).
constexpr std::chrono::seconds kPlateauWindow{1};
constexpr std::chrono::seconds kStretch{3};  // of load between two judgements
constexpr std::chrono::seconds kLongestPlateau{45};
// Under the objective's load: a warm-up and the longest load, of ten seconds. Chosen, not measured.
constexpr std::chrono::seconds kShortestLife{15};

PlateauVerdict Judge(const Container& container) {
  return JudgePlateau(MakeMemoryWindows(container.Samples(), container.watched(), kPlateauWindow));
}

// Of the fastest stretch: one that nears its ceiling is slowed by the kernel long before it dies.
double RequestsPerSecond(std::span<const RequestStretch> stretches) {
  double fastest = 0;
  for (const RequestStretch& stretch : stretches) {
    const double took = std::chrono::duration<double>(stretch.ended - stretch.began).count();
    if (took > 0) fastest = std::max(fastest, static_cast<double>(stretch.requests) / took);
  }
  return fastest;
}

// From `level` until the ceiling is reached; infinity where nothing grows. A warm-up and bursts
// send more than a rate that the objective names.
double SecondsUntilFull(const Container& container, const Objective& objective,
                        const PlateauVerdict& verdict, Bytes level) {
  const double fastest = RequestsPerSecond(container.watched());
  const double rate = std::min(fastest, objective.requests_per_second.value_or(fastest));
  if (verdict.trend != MemoryTrend::kGrowing || rate <= 0) {
    return std::numeric_limits<double>::infinity();
  }
  return 3600 * server::HoursToOutOfMemory(verdict.bytes_per_request.value_or(0), rate,
                                           container.limits().memory() - level);
}

double SecondsLeft(const Container& container, const Objective& objective,
                   const PlateauVerdict& verdict) {
  return SecondsUntilFull(container, objective, verdict, container.Samples().back().unreclaimable);
}

// One that lives so shortly has no answer in a fresh container either, and is watched until it
// dies.
bool LivesShortly(const Container& container, const Objective& objective,
                  const PlateauVerdict& verdict) {
  return SecondsUntilFull(container, objective, verdict, verdict.level.value_or(Bytes())) <
         Seconds(kShortestLife);
}

// Two stretches: the forecast is rough, and a model that is killed has no answer.
bool MayGoOn(const Container& container, const Objective& objective, const PlateauVerdict& verdict,
             std::chrono::nanoseconds spent, std::chrono::nanoseconds longest) {
  if (LivesShortly(container, objective, verdict)) return spent < kLongestPlateau;
  return spent < longest && SecondsLeft(container, objective, verdict) > Seconds(2 * kStretch);
}

double SecondsToCome(const Budget& budget) {
  return std::chrono::duration<double>(budget.For(Spend::kCpuSearch) +
                                       budget.For(Spend::kCpuCurve) + budget.For(Spend::kLoadCurve))
      .count();
}

double ShareOfTime(std::chrono::nanoseconds spent, std::chrono::nanoseconds longest) {
  return std::min(
      1.0, static_cast<double>(spent / kStretch) / static_cast<double>(longest / kStretch + 1));
}

}  // namespace

PhaseResult<PlateauFacts> WatchMemory(Lab& lab, Container& container, const Workload& workload) {
  const auto longest =
      std::min<std::chrono::nanoseconds>(kLongestPlateau, lab.budget().For(Spend::kPlateau));
  const auto began = lab.clock().Now();
  PlateauVerdict verdict = Judge(container);
  while (!verdict.settled && !lab.budget().Passed() &&
         MayGoOn(container, workload.objective, verdict, lab.clock().Now() - began, longest)) {
    const ReplayResult replay = container.Replay(
        ObjectivePlan(workload, container.seed(), {kStretch, 0, kStretch}), lab.budget().end());
    if (auto ended = CheckWhole(lab, container, replay); !ended) {
      return tl::unexpected<RunEnd>(ended.error());
    }
    if (replay.requests.empty()) break;
    verdict = Judge(container);
    lab.Progressed(
        ShareOfTime(lab.clock().Now() - began, longest),
        "watching memory, " + std::to_string(container.RequestsServed()) + " requests so far");
  }
  PlateauFacts facts;
  facts.settled = verdict.settled;
  facts.trend = verdict.trend;
  facts.requests = RequestsOf(container.watched());
  facts.bytes_per_request = verdict.bytes_per_request;
  facts.steady_confidence = verdict.steady_confidence;
  facts.serving_low = verdict.level;
  facts.outgrows =
      SecondsLeft(container, workload.objective, verdict) < SecondsToCome(lab.budget());
  facts.serving_peak = Summarize(container.Samples()).peak_unreclaimable.value_or(Bytes());
  facts.peak_since_first_row =
      Summarize(container.SamplesSinceServing()).peak_unreclaimable.value_or(facts.serving_peak);
  return facts;
}

std::optional<double> HoursToOutOfMemory(const PlateauFacts& facts, const MeasuredNeed& need,
                                         Bytes limit, double requests_per_second) {
  if (facts.trend != MemoryTrend::kGrowing) return std::nullopt;
  if (!facts.bytes_per_request || !facts.serving_low) return std::nullopt;
  // The agent's own memory is within the limit and not in the level.
  const Bytes headroom = limit - *facts.serving_low - need.memory.agent_memory;
  const double hours =
      server::HoursToOutOfMemory(*facts.bytes_per_request, requests_per_second, headroom);
  if (!std::isfinite(hours)) return std::nullopt;
  return hours;
}

}  // namespace mlprof::server::phases
