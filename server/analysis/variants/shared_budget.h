// How variants share the budget of their comparison. Pure.
#pragma once

#include <chrono>
#include <vector>

namespace mlprof::server {

/// What one that is over was given, and how long its run took; that includes the preparation of an
/// image, which its budget does not.
struct SpentShare {
  std::chrono::seconds given{};
  std::chrono::seconds took{};
};

/// Of the next of `left` variants: an equal part of what those before it have not used. So whoever
/// ends early leaves its time to all that come after it. At least a second.
std::chrono::seconds NextShare(std::chrono::seconds total, const std::vector<SpentShare>& spent,
                               int left);

}  // namespace mlprof::server
