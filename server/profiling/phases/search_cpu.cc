#include "server/profiling/phases/search_cpu.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>

#include "server/analysis/cpu_curve.h"
#include "server/analysis/grid_search.h"
#include "server/analysis/resource_use.h"
#include "server/analysis/verdict.h"
#include "server/profiling/phases/answer.h"
#include "server/profiling/phases/full_speed.h"
#include "server/profiling/phases/host_watch.h"
#include "server/profiling/phases/plans.h"
#include "server/profiling/phases/replays.h"
#include "server/profiling/phases/shares.h"

namespace mlprof::phases {
namespace {

constexpr std::chrono::seconds kProbeTime{3};
constexpr std::chrono::milliseconds kCurveTime{1500};
constexpr double kBudgetForProbe = 0.05;
constexpr double kBudgetForSearch = 0.2;
constexpr double kBudgetForCurve = 0.05;
constexpr int kCurvePoints = 4;
constexpr int kProbesBetweenAnchors = 3;

struct Probed {
  CpuPoint point;
  NoiseEvidence noise;
  Verdict verdict;
};

// A probe is judged as a verification is, by its own latencies and errors.
Verdict JudgeProbe(RunContext& context, const ReplayPlan& plan, const ReplayResult& replay,
                   const ResourceUse& use, std::optional<double> reference_p95_ms) {
  VerificationEvidence evidence;
  evidence.became_ready = true;
  evidence.requests = std::ssize(replay.requests);
  // What fails without a CPU limit, by chance, or where the quota did not bind, is not the limit's
  // doing.
  evidence.new_failures = NewFailures(context, replay);
  const bool throttled = use.throttled_share.value_or(0) >= kUnboundShare;
  if (throttled && evidence.new_failures >= kFewestNewFailures) {
    evidence.failures = evidence.new_failures;
  }
  evidence.reference_error_share = context.observed.reference_error_share;
  evidence.throttled_share = use.throttled_share;
  evidence.reference_p95_ms = reference_p95_ms;
  NoteRate(RateOf(plan, replay, AcceptableMs(context)), evidence);
  return Judge(evidence, LatencyDistribution(replay.SuccessLatencies()), context.objective());
}

CpuPoint MakePoint(Cores cpu, const Trial& trial) {
  const Measurements& measured = trial.measurements;
  CpuPoint point;
  point.cpu = cpu;
  point.mean_ms = measured.average_latency_ms.value_or(0);
  point.p50_ms = measured.latency_p50_ms.value_or(0);
  point.p95_ms = measured.latency_p95_ms.value_or(point.p50_ms);
  point.p99_ms = measured.latency_p99_ms.value_or(point.p95_ms);
  point.requests_per_second = measured.queries_per_second.value_or(0);
  point.throttled_share = measured.throttled_share.value_or(0);
  point.passed = trial.passed;
  return point;
}

PhaseResult<Probed> Probe(RunContext& context, RunningModel& model, Cores cpu,
                          const ReplayPlan& plan, std::optional<double> reference_p95_ms) {
  if (auto status = model.SetCpu(cpu); !status) {
    return FailRun({"RuntimeFailed",
                    "the CPU limit could not be changed: " + status.error().message(),
                    {"run `mlprof doctor` on the server's machine"},
                    ""});
  }
  char text[64];
  std::snprintf(text, sizeof text, "trying %.1f cores", cpu.value());
  context.recorder.Progressed(0.5, text);
  const Timestamp began = Now();
  const HostWatch watch(context);
  const ReplayResult replay = model.Replay(plan, context.budget());
  const ResourceUse use = Summarize(model.SamplesOf(replay));
  Probed probed{{}, watch.End(context, use), {}};
  if (auto ended = CheckTarget(context, model, replay); !ended) {
    return tl::unexpected<RunEnd>(ended.error());
  }
  Trial trial = MakeTrial(context, model, TrialPurpose::kCpuProbe, plan, began, replay);
  const Verdict verdict = JudgeProbe(context, plan, replay, use, reference_p95_ms);
  trial.passed = verdict.passed;
  trial.verdict = verdict.sentence;
  context.recorder.Record(trial, replay.SuccessLatencies());
  NoteFullSpeed(context, trial);
  probed.verdict = verdict;
  probed.point = MakePoint(cpu, trial);
  return probed;
}

ReplayPlan SearchPlan(RunContext& context) {
  return ObjectivePlan(
      context, std::min<std::chrono::nanoseconds>(kProbeTime, context.BudgetShare(kBudgetForProbe)),
      RequestsForConfidence(0.95), context.BudgetShare(kBudgetForProbe));
}

PhaseResult<Probed> ProbeForSearch(RunContext& context, RunningModel& model, Cores cpu,
                                   std::optional<double> reference_p95_ms) {
  return Probe(context, model, cpu, SearchPlan(context), reference_p95_ms);
}

// The ceiling again, to see whether the host still is what it was when the reference was taken.
PhaseResult<CpuPoint> VisitAnchor(RunContext& context, RunningModel& model,
                                  std::vector<double>& anchors) {
  const auto probed = ProbeForSearch(context, model, context.ceiling.cpu, std::nullopt);
  if (!probed) return tl::unexpected<RunEnd>(probed.error());
  anchors.push_back(probed->point.mean_ms);
  NoiseEvidence evidence = probed->noise;
  evidence.anchors_ms = anchors;
  NoteNoise(context, evidence);
  return probed->point;
}

// A limit that is too slow is tried once more where other work disturbed it, and beside a reference
// of now where the host has become slower: noise makes slow, never fast.
PhaseResult<CpuPoint> ProbeFairly(RunContext& context, RunningModel& model, Cores cpu,
                                  std::vector<double>& anchors, Deadline end) {
  std::optional<double> reference = context.observed.reference_p95_ms;
  auto probed = ProbeForSearch(context, model, cpu, reference);
  if (!probed) return tl::unexpected<RunEnd>(probed.error());
  if (!probed->verdict.slow || end.Passed()) return probed->point;
  bool again = NoteNoise(context, probed->noise).noisy;
  if (reference && probed->verdict.beside_reference) {
    const auto now = VisitAnchor(context, model, anchors);
    if (!now) return tl::unexpected<RunEnd>(now.error());
    again = again || now->p95_ms > kSlowerHost * *reference;
    reference = std::max(*reference, now->p95_ms);
  }
  if (!again) return probed->point;
  probed = ProbeForSearch(context, model, cpu, reference);
  if (!probed) return tl::unexpected<RunEnd>(probed.error());
  return probed->point;
}

Cores Floor(const RunContext& context, Cores guess) {
  const Objective& objective = context.recorder.profile().request.objective;
  // A rate needs room for its bursts whatever a short probe says.
  if (objective.requests_per_second) return guess;
  // Noise makes the reference slow, and a limit that would be too slow look good beside it.
  if (objective.latency_ms.empty() && context.observed.noisy) return guess;
  return kSmallestLimits.cpu;
}

PhaseResult<std::vector<CpuPoint>> Search(RunContext& context, RunningModel& model) {
  const Deadline end =
      Deadline::After(std::min(context.BudgetShare(kBudgetForSearch), context.budget().Left() / 2));
  const Cores guess = FirstAnswer(context.observed.need, context.ceiling).cpu;
  GridSearch search(Floor(context, guess), guess, context.ceiling.cpu);
  std::vector<CpuPoint> points;
  std::vector<double> anchors;
  if (context.observed.reference_mean_ms) anchors.push_back(*context.observed.reference_mean_ms);
  while (const auto next = search.Next()) {
    if (end.Passed()) break;
    const auto point = ProbeFairly(context, model, *next, anchors, end);
    if (!point) return tl::unexpected<RunEnd>(point.error());
    points.push_back(*point);
    search.Tell(*next, point->passed);
    if (points.size() % kProbesBetweenAnchors == 0) {
      if (auto ended = VisitAnchor(context, model, anchors); !ended) {
        return tl::unexpected<RunEnd>(ended.error());
      }
    }
  }
  // Once more: noise may have been seen only on the way.
  context.observed.chosen_cpu = std::max(search.Best(), Floor(context, guess));
  return points;
}

// Limits between what the rows use at least and the ceiling, evenly by ratio, in random order: a
// host that changes meanwhile shows as scatter, not as a slope.
std::vector<Cores> CurveLimits(RunContext& context, const std::vector<CpuPoint>& probed) {
  const double low = std::clamp(context.observed.need.cores / 2, 0.1, context.ceiling.cpu.value());
  const double ratio = context.ceiling.cpu.value() / low;
  std::vector<Cores> limits;
  for (int i = 0; i < kCurvePoints; ++i) {
    const double share = static_cast<double>(i) / (kCurvePoints - 1);
    const Cores limit = std::min(Cores(low * std::pow(ratio, share)).RoundUpToGrid(),
                                 context.ceiling.cpu.RoundDownToGrid());
    const bool known = std::any_of(probed.begin(), probed.end(),
                                   [&](const CpuPoint& point) { return point.cpu == limit; });
    if (!known && std::find(limits.begin(), limits.end(), limit) == limits.end()) {
      limits.push_back(limit);
    }
  }
  std::mt19937_64 random(context.profile().request.seed);
  std::shuffle(limits.begin(), limits.end(), random);
  return limits;
}

PhaseResult<void> FillCurve(RunContext& context, RunningModel& model,
                            std::vector<CpuPoint>& points) {
  const auto longest = context.BudgetShare(kBudgetForCurve);
  const auto began = context.clock.Now();
  for (const Cores limit : CurveLimits(context, points)) {
    if (context.clock.Now() - began > longest) break;
    const auto probed =
        Probe(context, model, limit, ObjectivePlan(context, kCurveTime, 0, kCurveTime),
              context.observed.reference_p95_ms);
    if (!probed) return tl::unexpected<RunEnd>(probed.error());
    if (probed->point.mean_ms > 0) points.push_back(probed->point);
  }
  return {};
}

// How much the chosen limit throttles; at the ceiling, which no search has to try, the load told.
void NoteThrottling(RunContext& context, const std::vector<CpuPoint>& points) {
  const auto& load = context.profile().measurements;
  if (load) context.observed.throttled_at_choice = load->throttled_share.value_or(0);
  for (const CpuPoint& point : points) {
    if (point.cpu == context.observed.chosen_cpu) {
      context.observed.throttled_at_choice = point.throttled_share;
    }
  }
}

}  // namespace

PhaseResult<void> SearchCpu(RunContext& context, RunningModel& model) {
  context.recorder.EnterPhase(kSearchCpu, "searching the CPU limit");
  auto points = Search(context, model);
  if (!points) return tl::unexpected<RunEnd>(points.error());
  if (auto ended = FillCurve(context, model, *points); !ended) return ended;
  NoteThrottling(context, *points);
  context.recorder.Answer(AnswerAt(context, CurrentLimits(context), {}));
  if (auto status = model.SetCpu(context.ceiling.cpu); !status) {
    return FailRun({"RuntimeFailed",
                    "the CPU limit could not be lifted again: " + status.error().message(),
                    {"run `mlprof doctor` on the server's machine"},
                    ""});
  }
  context.profile().findings.cpu = FitCpuCurve(std::move(*points));
  context.recorder.FinishPhase("done");
  return {};
}

}  // namespace mlprof::phases
