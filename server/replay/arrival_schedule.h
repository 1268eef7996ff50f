// When the rows of an open loop are due. Pure: the same seed gives the same times on every machine.
#pragma once

#include <chrono>
#include <cstdint>
#include <random>

#include "server/replay/replay_plan.h"

namespace mlprof::server {

class ArrivalSchedule {
 public:
  explicit ArrivalSchedule(const OpenLoop& plan);

  /// When the next row is due, counted from the replay's begin. Poisson arrivals: gaps drawn from
  /// the exponential distribution by inversion; constant ones: n/rate.
  std::chrono::nanoseconds due() const { return due_; }
  void Advance();

 private:
  double ExponentialGap();

  const Arrivals arrivals_;
  const double rate_;
  std::mt19937_64 random_;
  std::uint64_t count_ = 0;
  double seconds_ = 0;
  std::chrono::nanoseconds due_{0};
};

}  // namespace mlprof::server
