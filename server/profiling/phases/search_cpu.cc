#include "server/profiling/phases/search_cpu.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "server/analysis/cpu_curve.h"
#include "server/analysis/cpu_for_latency.h"
#include "server/analysis/limit_search.h"
#include "server/profiling/phases/cpu_probe.h"
#include "server/profiling/phases/reference_in_turns.h"

namespace mlprof::server::phases {
namespace {

// Thirty CFS periods tell whether the quota binds; what a probe gets wrong the verification finds.
constexpr std::chrono::seconds kCpuProbeTime{3};
constexpr std::chrono::milliseconds kCurveTime{1100};  // for the what-if alone
// As many as show a curve's bend beside the limits that the search tried.
constexpr int kCurvePoints = 4;
// The ceiling is visited again after so many limits at the latest.
constexpr int kProbesBetweenAnchors = 3;

class CpuSearch {
 public:
  CpuSearch(Lab& lab, Container& container, const Workload& workload, const LoadFacts& load,
            const MeasuredNeed& need)
      : lab_(lab),
        container_(container),
        workload_(workload),
        reference_(load.reference),
        load_(load),
        need_(need) {
    if (reference_.mean_ms) anchors_ms_.push_back(*reference_.mean_ms);
  }
  /// Goes on with what another search has found.
  void GoOnFrom(const CpuChoice& choice) {
    reference_ = choice.reference;
    points_ = choice.curve.points;
  }

  /// The smallest limit that holds.
  PhaseResult<Cores> Search();
  /// Limits that the search had no reason to try, for the shape of the curve.
  PhaseResult<void> FillCurve();
  std::vector<CpuPoint> points() const { return points_; }
  /// `chosen`, or where the curve knows it to fail the least limit above that holds.
  Cores Settle(Cores chosen) const;
  CpuChoice Conclude(Cores chosen);

 private:
  PhaseResult<Probed> Probe(Cores cpu, const LoadTime& time, const Reference& beside);
  PhaseResult<Probed> ProbeForSearch(Cores cpu, const Reference& beside);
  PhaseResult<CpuPoint> ProbeFairly(Cores cpu, Deadline end);
  PhaseResult<Probed> VisitAnchor();
  bool TellsWithoutAnchor(const Probed& probed) const;
  bool IsSlowOnTheSameHost(const Probed& probed, const Look& now) const;
  void SeeTail(Cores cpu, const Verdict& verdict);
  void SeeCost(const Probed& probed);
  Cores FirstTry(Cores guess) const;
  Cores Floor(Cores guess) const;
  bool IsDecided(const GridSearch& search, Cores guess) const;
  void TakeLoadAtCeiling(Cores chosen);
  std::vector<Cores> CurveLimits() const;

  Lab& lab_;
  Container& container_;
  const Workload& workload_;
  Reference reference_;
  const LoadFacts& load_;
  const MeasuredNeed& need_;
  std::vector<CpuPoint> points_;
  std::vector<double> anchors_ms_;            // means at the ceiling, over the search
  int since_anchor_ = kProbesBetweenAnchors;  // limits tried; the first is followed by one
  std::optional<TailRefusal> tail_refused_;
  std::optional<double> cpu_seconds_per_query_;  // the least
};

PhaseResult<Probed> CpuSearch::Probe(Cores cpu, const LoadTime& time, const Reference& beside) {
  MLPROF_LET(probed, ProbeCpu(lab_, container_, workload_, {cpu, time}, {beside, reference_}));
  SeeTail(cpu, probed.verdict);
  SeeCost(probed);
  return probed;
}

PhaseResult<Probed> CpuSearch::ProbeForSearch(Cores cpu, const Reference& beside) {
  const auto longest = lab_.budget().For(Spend::kCpuProbe);
  return Probe(cpu,
               {std::min<std::chrono::nanoseconds>(kCpuProbeTime, longest),
                RequestsForConfidence(0.95), longest},
               beside);
}

// The ceiling again, in turns with the limits: one look more at the reference, which also shows
// whether the host still is what it was.
PhaseResult<Probed> CpuSearch::VisitAnchor() {
  MLPROF_LET(probed, ProbeForSearch(lab_.ceiling().cpu(), {}));
  since_anchor_ = 0;
  if (probed.point.mean_ms > 0) anchors_ms_.push_back(probed.point.mean_ms);
  NoiseEvidence evidence = probed.noise;
  evidence.anchors_ms = anchors_ms_;
  lab_.host().Judge(evidence);
  reference_ = WithLook(std::move(reference_), probed.look);
  return probed;
}

// What its requests took of the CPU shows that the host is the one of the references, quiet, beside
// which the limit holds, or is so slow that no other moment of it would help.
bool CpuSearch::TellsWithoutAnchor(const Probed& probed) const {
  if (since_anchor_ >= kProbesBetweenAnchors || workload_.objective.requests_per_second) {
    return false;
  }
  const bool counted = probed.cpu_seconds_per_query.has_value();
  const auto cost = counted ? CostBeside(reference_, probed.look) : std::nullopt;
  if (!cost || IsOnFasterHost(cost) || IsOnSlowerHost(cost)) return false;
  if (lab_.host().busy() || JudgeNoise(probed.noise).noisy) return false;
  return probed.verdict.passed || (probed.verdict.beside_reference && probed.clearly_slow);
}

// The two cost a request about as much: what is slow beside such a look, as it would be at the same
// cost, was not slowed by the host, and tried once more it may meet a faster one. What a rate costs
// that is not kept up with tells nothing of the host.
bool CpuSearch::IsSlowOnTheSameHost(const Probed& probed, const Look& now) const {
  if (workload_.objective.requests_per_second) return false;
  const Reference beside = OnlyWith(reference_, now);
  const auto cost = CostBeside(beside, probed.look);
  if (!cost || IsOnFasterHost(cost) || IsOnSlowerHost(cost)) return false;
  return IsSlow(Compare(probed.look, OnHostOfCost(beside, std::max(1.0, *cost)).looks));
}

// Limit, reference, and where the limit was too slow for what may be the host's doing, the limit
// again beside the reference of now: noise makes slow, never fast.
PhaseResult<CpuPoint> CpuSearch::ProbeFairly(Cores cpu, Deadline end) {
  const std::optional<double> before = reference_.p95_ms;
  MLPROF_LET(probed, ProbeForSearch(cpu, reference_));
  if (end.Passed()) return probed.point;
  ++since_anchor_;
  bool again = probed.verdict.slow && lab_.host().Judge(probed.noise).noisy;
  Reference beside = reference_;
  const bool looks = before && workload_.objective.latency_ms.empty();
  if (looks && !TellsWithoutAnchor(probed)) {
    MLPROF_LET(now, VisitAnchor());
    const bool slower = now.point.p95_ms > kSlowerHost * *before ||
                        now.point.mean_ms > kSlowerHost * reference_.mean_ms.value_or(1e9);
    again = again ||
            (slower && probed.verdict.beside_reference && !IsSlowOnTheSameHost(probed, now.look));
    beside = slower ? OnlyWith(reference_, now.look) : reference_;
  }
  if (!again) return probed.point;
  MLPROF_LET(second, ProbeForSearch(cpu, beside));
  return second.point;
}

// The most that was refused for its slowest requests alone.
void CpuSearch::SeeTail(Cores cpu, const Verdict& verdict) {
  if (verdict.passed || !verdict.tail) return;
  if (!tail_refused_ || tail_refused_->cpu < cpu) tail_refused_ = TailRefusal{cpu, *verdict.tail};
}

// While a model takes memory it never had before, a row costs more than ever again.
void CpuSearch::SeeCost(const Probed& probed) {
  const auto& cost = probed.cpu_seconds_per_query;
  if (!cost) return;
  cpu_seconds_per_query_ = std::min(cpu_seconds_per_query_.value_or(*cost), *cost);
}

// A latency may be held with far less than the rows use without a limit. A rate needs its floor.
Cores CpuSearch::FirstTry(Cores guess) const {
  if (workload_.objective.requests_per_second) return guess;
  const auto enough = CpuForLatency(workload_.objective, need_.cpu.cores, load_.trial.measurements);
  return enough ? std::min(enough->RoundUpToGrid(), guess) : guess;
}

Cores CpuSearch::Floor(Cores guess) const {
  const Objective& objective = workload_.objective;
  // A rate needs room for its bursts whatever a short probe says.
  if (objective.requests_per_second) return guess;
  // Noise makes the reference slow, and a limit that would be too slow look good beside it.
  if (objective.latency_ms.empty() && lab_.host().noisy()) return guess;
  return std::max(kSmallestLimits.cpu(), need_.cpu.to_start);
}

// What holds at the floor is the answer, whatever less would hold: noise that was seen while
// searching may have raised it.
bool CpuSearch::IsDecided(const GridSearch& search, Cores guess) const {
  return search.Best() <= Floor(guess);
}

PhaseResult<Cores> CpuSearch::Search() {
  const Deadline end = lab_.budget().AtMost(
      std::min(lab_.budget().For(Spend::kCpuSearch), lab_.budget().Left() / 2));
  const Cores guess = FirstAnswer(need_, lab_.ceiling()).cpu();
  GridSearch search(Floor(guess), FirstTry(guess), lab_.ceiling().cpu());
  while (const auto next = search.Next()) {
    if (end.Passed() || IsDecided(search, guess)) break;
    MLPROF_LET(point, ProbeFairly(*next, end));
    // A probe without any response ran out of time: it says nothing of the limit.
    if (point.mean_ms <= 0) break;
    points_.push_back(point);
    search.Tell(*next, point.passed);
    // An objective for latency needs no reference, but the host may drift all the same.
    const bool looks = workload_.objective.latency_ms.empty();
    if (!looks && points_.size() % kProbesBetweenAnchors == 0 && !end.Passed()) {
      if (auto ended = VisitAnchor(); !ended) return tl::unexpected<RunEnd>(ended.error());
    }
  }
  if (points_.empty()) return guess;
  // The floor is asked again, because noise may have been seen only while searching.
  return std::max(search.Likeliest(), Floor(guess));
}

// Limits between what the rows use at least and the ceiling, evenly by ratio, in random order: a
// host that changes meanwhile shows as scatter, not as a slope.
std::vector<Cores> CpuSearch::CurveLimits() const {
  const Cores ceiling = lab_.ceiling().cpu();
  const double low = std::clamp(need_.cpu.cores / 2, 0.1, ceiling.value());
  const double ratio = ceiling.value() / low;
  std::vector<Cores> limits;
  for (int i = 0; i < kCurvePoints; ++i) {
    const double share = static_cast<double>(i) / (kCurvePoints - 1);
    const Cores limit =
        std::min(Cores(low * std::pow(ratio, share)).RoundUpToGrid(), ceiling.RoundDownToGrid());
    const bool known = std::any_of(points_.begin(), points_.end(),
                                   [&](const CpuPoint& point) { return point.cpu == limit; });
    if (!known && std::find(limits.begin(), limits.end(), limit) == limits.end()) {
      limits.push_back(limit);
    }
  }
  std::mt19937_64 random(workload_.seed);
  std::shuffle(limits.begin(), limits.end(), random);
  return limits;
}

PhaseResult<void> CpuSearch::FillCurve() {
  const auto longest = lab_.budget().For(Spend::kCpuCurve);
  const auto began = lab_.clock().Now();
  for (const Cores limit : CurveLimits()) {
    if (lab_.clock().Now() - began > longest) break;
    MLPROF_LET(probed, Probe(limit, {kCurveTime, 0, kCurveTime}, reference_));
    if (probed.point.mean_ms > 0) points_.push_back(probed.point);
  }
  return {};
}

Cores CpuSearch::Settle(Cores chosen) const {
  const auto failed = [&](Cores cpu) {
    return std::any_of(points_.begin(), points_.end(),
                       [&](const CpuPoint& point) { return point.cpu == cpu && !point.passed; });
  };
  if (!failed(chosen)) return chosen;
  Cores least = lab_.ceiling().cpu();
  for (const CpuPoint& point : points_) {
    if (point.passed && point.cpu > chosen) least = std::min(least, point.cpu);
  }
  return least;
}

// Longer than a point of the curve, so that p99 may be known. What was asked for it was not judged
// by; and where the curve decides on a knee, all its points are to be of the same minutes.
void CpuSearch::TakeLoadAtCeiling(Cores chosen) {
  const Objective& objective = workload_.objective;
  const bool asked = objective.requests_per_second || !objective.latency_ms.empty();
  if (asked || chosen > kKneeFrom || load_.trial.limits.cpu() != lab_.ceiling().cpu()) return;
  const CpuPoint point = PointOf(load_.trial);
  if (point.mean_ms > 0) points_.push_back(point);
}

CpuChoice CpuSearch::Conclude(Cores chosen) {
  CpuChoice choice;
  choice.cpu = chosen;
  choice.reference = reference_;
  choice.cpu_seconds_per_query = cpu_seconds_per_query_;
  if (tail_refused_ && tail_refused_->cpu < chosen) choice.tail_refused = tail_refused_;
  // The search need not try the ceiling itself: there the load's share counts.
  choice.throttled_share = load_.trial.measurements.throttled_share.value_or(0);
  for (const CpuPoint& point : points_) {
    if (point.cpu == chosen) choice.throttled_share = point.throttled_share;
  }
  TakeLoadAtCeiling(chosen);
  choice.curve = FitCpuCurve(std::move(points_));
  return choice;
}

}  // namespace

PhaseResult<CpuChoice> SearchCpu(Lab& lab, Container& container, const Workload& workload,
                                 const LoadFacts& load, const MeasuredNeed& need) {
  CpuSearch search(lab, container, workload, load, need);
  MLPROF_LET(chosen, search.Search());
  if (auto lifted = LiftCpuLimit(lab, container); !lifted)
    return tl::unexpected<RunEnd>(lifted.error());
  return search.Conclude(search.Settle(chosen));
}

PhaseResult<CpuCurve> FillCpuCurve(Lab& lab, Container& container, const Workload& workload,
                                   const LoadFacts& load, const MeasuredNeed& need,
                                   const CpuChoice& choice) {
  CpuSearch search(lab, container, workload, load, need);
  search.GoOnFrom(choice);
  if (auto ended = search.FillCurve(); !ended) return tl::unexpected<RunEnd>(ended.error());
  if (auto lifted = LiftCpuLimit(lab, container); !lifted)
    return tl::unexpected<RunEnd>(lifted.error());
  return FitCpuCurve(search.points());
}

}  // namespace mlprof::server::phases
