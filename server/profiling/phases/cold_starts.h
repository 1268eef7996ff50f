// Phase "coldStarts": the model is started in fresh containers at the ceiling, in one where it
// starts slowly, else in three, or five: time, CPU and memory to ready. The last one is kept
// running for the phases that follow. Where the model does not even start at the ceiling for want
// of memory, the first limit at which it does is searched, as the reason the profile ends with.
#pragma once

#include <chrono>
#include <vector>

#include "common/domain/objective.h"
#include "common/domain/trial.h"
#include "server/analysis/recommend.h"
#include "server/profiling/lab/lab.h"
#include "server/profiling/phases/ample.h"

namespace mlprof::server::phases {

struct StartFacts {
  std::vector<Bytes> peaks;         // unreclaimable, until ready
  std::vector<double> seconds;      // until ready
  std::vector<double> cpu_seconds;  // likewise
  agent_protocol::Ready ready;      // of the container that is kept
  Cores least_cpu;                  // with less it would not start in time; no cores: not known
  Cores cpu;                        // that it had meanwhile
};

/// Leaves the model serving in `ample`, with folders to write to where it does not start without.
PhaseResult<StartFacts> ColdStarts(Lab& lab, Ample& ample);

/// The starts one by one. Pure, as is what follows.
std::vector<StartTime> TimesOf(const StartFacts& starts);

/// The least CPU with which the slowest of them may be over as soon as the objective asks, or
/// before the config gives up on it.
Cores LeastCpuToStart(const StartFacts& starts, const Objective& objective,
                      std::chrono::seconds start_timeout, Cores ceiling);

/// How far the largest of such peaks lies above their median; nothing of one alone.
Bytes SpreadOf(std::vector<Bytes> peaks);

/// What the starts alone ask for.
MeasuredNeed NeedOfStart(const StartFacts& starts);

/// One start as a trial of the profile: of a model that got ready, and of one that did not.
Trial StartTrial(const Container& container, Timestamp began, const agent_protocol::Ready& ready);
Trial FailedStartTrial(const Limits& limits, Timestamp began, const std::string& why);

/// For a model that does not start at the ceiling for want of memory: starts it at limits above, as
/// far as the host has memory, and ends the run with `error` and the first limit that loads in its
/// advice.
PhaseResult<void> SearchFirstStart(Lab& lab, const Setup& setup, ProfileError error);

}  // namespace mlprof::server::phases
