// Phase "captures": device traces of the model while real rows are replayed, in a container of its
// own behind all measuring (docs/decisions, 47).
#pragma once

#include <chrono>
#include <vector>

#include "common/domain/profile_capture.h"
#include "common/domain/warning.h"
#include "server/profiling/lab/lab.h"
#include "server/profiling/lab/trace_taking.h"
#include "server/profiling/phases/reference.h"

namespace mlprof::server::phases {

struct CaptureFacts {
  std::vector<ProfileCapture> taken = {};  // kept beside the profile
  std::vector<Warning> missing = {};       // why others were not, and what to do
};

/// The loads to record: rows one at a time, and the objective's where that is another. Pure.
std::vector<CaptureLoad> LoadsToCapture(const Objective& objective);
/// How long each is recorded: until several rows were seen, within bounds. Pure.
std::chrono::milliseconds CaptureTime(const Yardstick& yardstick);
/// What all of them take of the budget. Pure.
std::chrono::nanoseconds TimeToCapture(const Budget& budget, const Yardstick& yardstick);

/// Of the model in one container at `limits`, whose profiler server listens at `port`. Whatever
/// goes wrong is told in the facts; what the container takes counts nowhere. A trace that is being
/// sent when the budget ends is given up.
CaptureFacts TakeCaptures(Lab& lab, const Yardstick& yardstick, const Limits& limits, int port,
                          const TraceTaking& traces);

}  // namespace mlprof::server::phases
