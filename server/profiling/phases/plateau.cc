#include "server/profiling/phases/plateau.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "server/analysis/memory_windows.h"
#include "server/analysis/resource_use.h"
#include "server/profiling/phases/answer.h"
#include "server/profiling/phases/plans.h"
#include "server/profiling/phases/replays.h"
#include "server/profiling/phases/shares.h"

namespace mlprof::phases {
namespace {

constexpr std::chrono::seconds kWindow{1};
constexpr std::chrono::seconds kStretch{3};
constexpr std::chrono::seconds kLongest{45};
constexpr double kBudgetForPlateau = 0.12;

PlateauVerdict Judge(const RunContext& context, const RunningModel& model) {
  const std::vector<Sample> samples = model.AllSamples();
  return JudgePlateau(MakeMemoryWindows(samples, context.observed.serving, kWindow));
}

std::int64_t RequestsServed(const RunContext& context) {
  std::int64_t requests = 0;
  for (const RequestStretch& stretch : context.observed.serving) requests += stretch.requests;
  return requests;
}

double RequestsPerSecond(RunContext& context) {
  if (const auto rate = context.objective().requests_per_second) return *rate;
  const auto& measured = context.profile().measurements;
  return measured ? measured->queries_per_second.value_or(0) : 0;
}

std::string Duration(double hours) {
  char text[32];
  if (hours >= 1) {
    std::snprintf(text, sizeof text, "%.3g h", hours);
  } else {
    std::snprintf(text, sizeof text, "%.2g min", hours * 60);
  }
  return text;
}

void WarnLeak(RunContext& context, const MemoryFindings& found) {
  char text[256];
  std::snprintf(text, sizeof text,
                "memory grew by %.1f KiB a request over %lld requests and did not settle",
                found.bytes_per_request.value_or(0) / 1024, static_cast<long long>(found.requests));
  std::string message = text;
  if (const auto hours = found.hours_to_out_of_memory) {
    message += "; at this rate the recommended limit is reached after " + Duration(*hours);
  }
  context.recorder.WarnAnew({"leakSuspected", message,
                             "mend the leak, or restart the server before then: no limit lasts"});
}

void KeepFindings(RunContext& context, const PlateauVerdict& verdict) {
  MemoryFindings found;
  found.trend = verdict.trend;
  found.requests = RequestsServed(context);
  found.bytes_per_request = verdict.bytes_per_request;
  found.load_peak = context.observed.need.start_peak;
  found.serving_peak = context.observed.need.serving_peak;
  found.steady_confidence = verdict.steady_confidence;
  found.serving_low = verdict.level;
  context.profile().findings.memory = found;
  ForecastOutOfMemory(context, CurrentLimits(context).memory);
}

}  // namespace

void ForecastOutOfMemory(RunContext& context, Bytes limit) {
  auto& found = context.profile().findings.memory;
  if (!found || found->trend != MemoryTrend::kGrowing) return;
  found->hours_to_out_of_memory.reset();
  if (found->bytes_per_request && found->serving_low) {
    // The agent's own memory is within the limit and not in the level.
    const Bytes headroom = limit - *found->serving_low - context.observed.need.agent_memory;
    const double hours =
        HoursToOutOfMemory(*found->bytes_per_request, RequestsPerSecond(context), headroom);
    if (std::isfinite(hours)) found->hours_to_out_of_memory = hours;
  }
  WarnLeak(context, *found);
}

PhaseResult<void> Plateau(RunContext& context, RunningModel& model) {
  context.recorder.EnterPhase(kPlateau, "waiting for memory to settle");
  const auto longest =
      std::min<std::chrono::nanoseconds>(kLongest, context.BudgetShare(kBudgetForPlateau));
  const auto began = context.clock.Now();
  PlateauVerdict verdict = Judge(context, model);
  while (!verdict.settled && context.clock.Now() - began < longest && !context.budget().Passed()) {
    const ReplayResult replay =
        model.Replay(ObjectivePlan(context, kStretch, 0, kStretch), context.budget());
    NoteServing(context, replay);
    if (auto ended = CheckTarget(context, model, replay); !ended) return ended;
    if (replay.requests.empty()) break;
    verdict = Judge(context, model);
    context.recorder.Progressed(
        std::min(1.0, static_cast<double>((context.clock.Now() - began) / kStretch) /
                          static_cast<double>(longest / kStretch + 1)),
        "watching memory, " + std::to_string(RequestsServed(context)) + " requests so far");
  }
  MeasuredNeed& need = context.observed.need;
  need.serving_peak = std::max(need.serving_peak,
                               Summarize(model.AllSamples()).peak_unreclaimable.value_or(Bytes()));
  KeepFindings(context, verdict);
  context.recorder.Answer(AnswerAt(context, CurrentLimits(context), {}));
  context.recorder.FinishPhase(verdict.settled ? "settled" : "not settled");
  return {};
}

}  // namespace mlprof::phases
