#include "server/profiling/phases/cold_starts.h"

#include <algorithm>

#include "server/profiling/phases/shares.h"
#include "server/profiling/phases/start_search.h"

namespace mlprof::phases {
namespace {

constexpr int kStarts = 3;
constexpr int kMoreStarts = 5;
// A spread above it is worth two starts more (one model's starts were seen to spread by 41%).
constexpr double kWideSpread = 0.10;
// A model that starts slowly must leave budget for its rows.
constexpr double kBudgetForStarts = 0.3;

// A root that cannot be written to is the commonest harmless cause: tried once more with one that
// can.
bool ShouldRetryWritable(RunContext& context, const DeathEvidence& death) {
  if (context.writable_root || death.oom_kills > 0) return false;
  if (!MentionsReadOnlyFilesystem(death.log_tail)) return false;
  context.writable_root = true;
  context.recorder.Warn({"writableRoot",
                         "the model writes outside the folders it may write to; it was profiled "
                         "with a writable root file system",
                         "name the folders in `writablePaths` of the inference config"});
  return true;
}

void Note(RunContext& context, const agent_protocol::Ready& ready) {
  Observations& observed = context.observed;
  observed.ready = ready;
  observed.start_peaks.push_back(ready.peak_unreclaimable);
  observed.start_seconds.push_back(std::chrono::duration<double>(ready.took).count());
  observed.start_cpu_seconds.push_back(std::chrono::duration<double>(ready.cpu_time).count());
}

PhaseResult<std::unique_ptr<RunningModel>> StartOnce(RunContext& context) {
  auto model = RunningModel::Launch(context, {context.ceiling, context.measuring_cpuset, true});
  if (!model) return model;
  context.StartBudget();
  const Timestamp began = Now();
  const auto ready = StartWhole(**model);
  if (ready) {
    Note(context, *ready);
    context.recorder.Record(StartTrial(context, context.ceiling, began, *ready));
    return model;
  }
  if (context.stop.stop_requested()) return Canceled();
  const bool starved = ready.error().oom_kills > 0;
  if (!starved && (*model)->RanOutOfBudget()) {
    return TimedOut("the budget was used up before the model was ready");
  }
  ProfileError error = DiagnoseDeath(ready.error());
  context.recorder.Record(FailedStartTrial(context.ceiling, began, error.message));
  model->reset();
  if (ShouldRetryWritable(context, ready.error())) return StartOnce(context);
  if (starved) return SearchFirstStart(context, std::move(error));
  return FailRun(error);
}

Bytes Median(std::vector<Bytes> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

bool SpreadIsWide(const Observations& observed) {
  const auto [least, most] =
      std::minmax_element(observed.start_peaks.begin(), observed.start_peaks.end());
  return *most - *least > Scale(Median(observed.start_peaks), kWideSpread);
}

void SummarizeStarts(Observations& observed) {
  observed.need.start_peak =
      *std::max_element(observed.start_peaks.begin(), observed.start_peaks.end());
  observed.need.start_spread = observed.need.start_peak - Median(observed.start_peaks);
}

}  // namespace

PhaseResult<std::unique_ptr<RunningModel>> ColdStarts(RunContext& context) {
  context.recorder.EnterPhase(kColdStarts, "starting the model");
  std::unique_ptr<RunningModel> model;
  const auto began = Deadline::Clock::now();
  int starts = kStarts;
  for (int i = 0; i < starts; ++i) {
    context.recorder.Progressed(static_cast<double>(i) / starts,
                                "start " + std::to_string(i + 1) + " of " + std::to_string(starts));
    model.reset();
    auto started = StartOnce(context);
    if (!started) return started;
    model = std::move(*started);
    const auto spent = Deadline::Clock::now() - began;
    if (spent * (i + 2) / (i + 1) > context.BudgetShare(kBudgetForStarts)) break;
    if (i + 1 == kStarts && SpreadIsWide(context.observed)) starts = kMoreStarts;
  }
  SummarizeStarts(context.observed);
  context.recorder.FinishPhase("done");
  return model;
}

}  // namespace mlprof::phases
