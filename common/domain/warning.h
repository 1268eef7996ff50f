// Something the user should know about an answer although there is one.
#pragma once

#include <string>

namespace mlprof {

struct Warning {
  std::string code;     // lowerCamelCase, stable: "sharedCores", "ceilingLowered", "notSteady"…
  std::string message;  // what was seen
  std::string advice;   // what to do about it; may be empty
  bool operator==(const Warning&) const = default;
};

/// Of what was measured while other work took the host's cores.
inline constexpr const char* kNoisyHostWarning = "noisyHost";

}  // namespace mlprof
