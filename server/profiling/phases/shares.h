// The phases in their order, with the share of the whole progress each takes.
#pragma once

#include "server/profiling/run_recorder.h"

namespace mlprof::phases {

inline constexpr PhaseShare kPrepare{"prepare", ProfileState::kPreparing, 0.00, 0.10};
inline constexpr PhaseShare kColdStarts{"coldStarts", ProfileState::kStarting, 0.10, 0.25};
inline constexpr PhaseShare kWarmUp{"warmUp", ProfileState::kProfiling, 0.25, 0.32};
inline constexpr PhaseShare kRows{"rows", ProfileState::kProfiling, 0.32, 0.45};
inline constexpr PhaseShare kLoad{"load", ProfileState::kProfiling, 0.45, 0.57};
inline constexpr PhaseShare kSearchCpu{"searchCpu", ProfileState::kProfiling, 0.57, 0.70};
inline constexpr PhaseShare kVerify{"verify", ProfileState::kVerifying, 0.70, 1.00};

}  // namespace mlprof::phases
