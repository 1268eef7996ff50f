// Pure.
#pragma once

#include <chrono>

namespace mlprof {

constexpr double Seconds(std::chrono::nanoseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace mlprof
