#include "server/profiling/phases/cold_starts.h"

#include <algorithm>

#include "server/profiling/phases/shares.h"

namespace mlprof::phases {
namespace {

constexpr int kStarts = 3;
// A model that starts slowly must leave budget for its rows.
constexpr double kBudgetForStarts = 0.35;

Trial StartTrial(const RunContext& context, Timestamp began, const agent_protocol::Ready* ready) {
  Trial trial;
  trial.purpose = TrialPurpose::kColdStart;
  trial.limits = context.ceiling;
  trial.started = began;
  trial.measurements.measured_at = context.ceiling;
  if (ready == nullptr) return trial;
  trial.passed = true;
  trial.verdict = "ready";
  trial.seconds = std::chrono::duration<double>(ready->took).count();
  trial.measurements.start_seconds = trial.seconds;
  trial.measurements.start_cpu_seconds = std::chrono::duration<double>(ready->cpu_time).count();
  trial.measurements.start_peak_memory = ready->peak_unreclaimable;
  return trial;
}

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
  context.findings.start_peaks.push_back(ready.peak_unreclaimable);
  context.findings.start_seconds.push_back(std::chrono::duration<double>(ready.took).count());
  context.findings.start_cpu_seconds.push_back(
      std::chrono::duration<double>(ready.cpu_time).count());
}

PhaseResult<std::unique_ptr<RunningModel>> StartOnce(RunContext& context) {
  auto model = RunningModel::Launch(context, context.ceiling, context.measuring_cpuset);
  if (!model) return model;
  context.StartBudget();
  const Timestamp began = Now();
  const auto ready = (*model)->Start();
  if (ready) {
    Note(context, *ready);
    context.recorder.Record(StartTrial(context, began, &*ready));
    return model;
  }
  if (context.stop.stop_requested()) return Canceled();
  if ((*model)->RanOutOfBudget()) {
    return TimedOut("the budget was used up before the model was ready");
  }
  const ProfileError error = DiagnoseDeath(ready.error());
  Trial trial = StartTrial(context, began, nullptr);
  trial.verdict = error.message;
  context.recorder.Record(trial);
  model->reset();
  if (ShouldRetryWritable(context, ready.error())) return StartOnce(context);
  return FailRun(error);
}

void SummarizeStarts(RunFindings& findings) {
  std::vector<Bytes> peaks = findings.start_peaks;
  std::sort(peaks.begin(), peaks.end());
  findings.need.start_peak = peaks.back();
  findings.need.start_spread = peaks.back() - peaks[peaks.size() / 2];
}

}  // namespace

PhaseResult<std::unique_ptr<RunningModel>> ColdStarts(RunContext& context) {
  context.recorder.EnterPhase(kColdStarts, "starting the model");
  std::unique_ptr<RunningModel> model;
  const auto began = Deadline::Clock::now();
  for (int i = 0; i < kStarts; ++i) {
    context.recorder.Progressed(
        static_cast<double>(i) / kStarts,
        "start " + std::to_string(i + 1) + " of " + std::to_string(kStarts));
    model.reset();
    auto started = StartOnce(context);
    if (!started) return started;
    model = std::move(*started);
    const auto spent = Deadline::Clock::now() - began;
    if (spent * (i + 2) / (i + 1) > context.BudgetShare(kBudgetForStarts)) break;
  }
  SummarizeStarts(context.findings);
  context.recorder.FinishPhase("done");
  return model;
}

}  // namespace mlprof::phases
