// The phases in their order, with the share of the whole progress each takes.
#pragma once

#include "common/domain/profile.h"

namespace mlprof::server {

/// A phase's place in the whole: where its share of the progress begins and ends (0 to 1).
struct PhaseShare {
  const char* name;
  ProfileState state;
  double from;
  double to;
};

namespace shares {

inline constexpr PhaseShare kPrepare{"prepare", ProfileState::kPreparing, 0.00, 0.08};
inline constexpr PhaseShare kPreflight{"preflight", ProfileState::kStarting, 0.08, 0.10};
inline constexpr PhaseShare kColdStarts{"coldStarts", ProfileState::kStarting, 0.10, 0.20};
inline constexpr PhaseShare kWarmUp{"warmUp", ProfileState::kProfiling, 0.20, 0.24};
inline constexpr PhaseShare kRows{"rows", ProfileState::kProfiling, 0.24, 0.30};
inline constexpr PhaseShare kLoad{"load", ProfileState::kProfiling, 0.30, 0.37};
inline constexpr PhaseShare kPlateau{"plateau", ProfileState::kProfiling, 0.37, 0.42};
inline constexpr PhaseShare kSearchCpu{"searchCpu", ProfileState::kProfiling, 0.42, 0.51};
inline constexpr PhaseShare kLoadCurve{"loadCurve", ProfileState::kProfiling, 0.51, 0.55};
inline constexpr PhaseShare kSearchMemory{"searchMemory", ProfileState::kProfiling, 0.55, 0.60};
inline constexpr PhaseShare kThreadPools{"threadPools", ProfileState::kProfiling, 0.60, 0.63};
inline constexpr PhaseShare kVerify{"verify", ProfileState::kVerifying, 0.63, 0.85};
inline constexpr PhaseShare kTightness{"tightness", ProfileState::kVerifying, 0.85, 0.97};
inline constexpr PhaseShare kSustainedLoad{"sustainedLoad", ProfileState::kVerifying, 0.97, 1.00};

}  // namespace shares

}  // namespace mlprof::server
