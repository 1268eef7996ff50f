#include "server/profiling/phases/start_search.h"

#include <cstdio>

#include "server/analysis/memory_search.h"

namespace mlprof::phases {
namespace {

std::string InGb(Bytes bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", bytes.gib());
  return text;
}

// Whether the model got ready at `memory`; nullopt where the run ends meanwhile.
PhaseResult<bool> Starts(RunContext& context, Bytes memory) {
  const Limits limits{context.ceiling.cpu, memory};
  context.recorder.Progressed(0.5, "starting the model with " + InGb(memory) + " GiB");
  auto model = RunningModel::Launch(context, {limits, context.measuring_cpuset, true});
  if (!model) return tl::unexpected<RunEnd>(model.error());
  const Timestamp began = Now();
  const auto ready = StartWhole(**model);
  if (context.stop.stop_requested()) return Canceled();
  if (!ready && (*model)->RanOutOfBudget()) {
    return TimedOut("the budget was used up before the first memory limit that loads was found");
  }
  context.recorder.Record(
      ready ? StartTrial(context, limits, began, *ready)
            : FailedStartTrial(limits, began, DiagnoseDeath(ready.error()).message));
  return ready.has_value();
}

}  // namespace

tl::expected<agent_protocol::Ready, DeathEvidence> StartWhole(
    RunningModel& model, std::optional<std::chrono::milliseconds> at_most) {
  auto ready = model.Start(at_most);
  if (!ready || model.session().Death().oom_kills == 0) return ready;
  return tl::unexpected<DeathEvidence>(model.Death());
}

Trial StartTrial(const RunContext& context, const Limits& limits, Timestamp began,
                 const agent_protocol::Ready& ready) {
  Trial trial;
  trial.purpose = TrialPurpose::kColdStart;
  trial.limits = limits;
  trial.started = began;
  trial.environment = context.environment;
  trial.passed = true;
  trial.verdict = "ready";
  trial.seconds = std::chrono::duration<double>(ready.took).count();
  trial.measurements.measured_at = limits;
  trial.measurements.start_seconds = trial.seconds;
  trial.measurements.start_cpu_seconds = std::chrono::duration<double>(ready.cpu_time).count();
  trial.measurements.start_peak_memory = ready.peak_unreclaimable;
  return trial;
}

Trial FailedStartTrial(const Limits& limits, Timestamp began, const std::string& why) {
  Trial trial;
  trial.purpose = TrialPurpose::kColdStart;
  trial.limits = limits;
  trial.started = began;
  trial.measurements.measured_at = limits;
  trial.verdict = why;
  return trial;
}

PhaseResult<std::unique_ptr<RunningModel>> SearchFirstStart(RunContext& context,
                                                            ProfileError error) {
  if (context.host_memory <= context.ceiling.memory) {
    error.message += "; that is all this host can give";
    return FailRun(std::move(error));
  }
  StartSearch search(context.ceiling.memory, context.ceiling.memory + context.ceiling.memory,
                     context.host_memory);
  while (const auto memory = search.Next()) {
    const auto starts = Starts(context, *memory);
    if (!starts && starts.error().state == ProfileState::kTimedOut) {
      error.message += "; the budget was used up before the first limit that loads was found";
      return FailRun(std::move(error));
    }
    if (!starts) return tl::unexpected<RunEnd>(starts.error());
    search.Tell(*starts);
  }
  if (const auto first = search.found()) {
    error.message += "; it starts with " + InGb(*first) + " GiB";
    error.advice.insert(error.advice.begin(), "profile again with --memory-gb " + InGb(*first) +
                                                  " or more: loading alone needs that much");
  } else {
    error.message +=
        "; it does not start with the " + InGb(context.host_memory) + " GiB of this host either";
  }
  return FailRun(std::move(error));
}

}  // namespace mlprof::phases
