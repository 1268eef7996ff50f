#include "server/profiling/phases/start_search.h"

#include <cstdio>

#include "server/analysis/memory_search.h"

namespace mlprof::server::phases {
namespace {

std::string InGb(Bytes bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", bytes.gib());
  return text;
}

// Whether the model got ready with so much memory.
PhaseResult<bool> Starts(Lab& lab, const Setup& setup, Bytes memory) {
  const Limits limits = lab.ceiling().With(memory);
  lab.Progressed(0.5, "starting the model with " + InGb(memory) + " GiB");
  MLPROF_LET(container,
             lab.Launch({limits, setup, lab.NextSeed(), PageCache::kCold, Use::kObjective}));
  const Timestamp began = Now();
  const auto ready = container->StartWhole();
  const bool late = !ready && container->RanOutOfBudget();
  const Trial trial = ready ? StartTrial(*container, began, *ready)
                            : FailedStartTrial(limits, began, DiagnoseDeath(ready.error()).message);
  if (!late && !lab.stopped()) lab.Record(trial);
  container->Close();
  if (lab.stopped()) return Canceled();
  if (late) {
    return TimedOut("the budget was used up before the first memory limit that loads was found");
  }
  return ready.has_value();
}

}  // namespace

Trial StartTrial(const Container& container, Timestamp began, const agent_protocol::Ready& ready) {
  Trial trial;
  trial.purpose = TrialPurpose::kColdStart;
  trial.limits = container.limits();
  trial.started = began;
  trial.environment = container.environment();
  trial.passed = true;
  trial.verdict = "ready";
  trial.seconds = std::chrono::duration<double>(ready.took).count();
  trial.measurements.measured_at = trial.limits;
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

PhaseResult<void> SearchFirstStart(Lab& lab, const Setup& setup, ProfileError error) {
  const Bytes ceiling = lab.ceiling().memory();
  const Bytes host = lab.subject().host_memory;
  if (host <= ceiling) {
    error.message += "; that is all this host can give";
    return FailRun(std::move(error));
  }
  StartSearch search(ceiling, ceiling + ceiling, host);
  while (const auto memory = search.Next()) {
    const auto starts = Starts(lab, setup, *memory);
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
    error.message += "; it does not start with the " + InGb(host) + " GiB of this host either";
  }
  return FailRun(std::move(error));
}

}  // namespace mlprof::server::phases
