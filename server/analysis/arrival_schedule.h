// When the requests of a rate are due. Pure: the same seed gives the same times on every machine.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "common/domain/objective.h"
#include "server/analysis/seeded_random.h"

namespace mlprof::server {

/// One thread at a time.
class ArrivalSchedule {
 public:
  /// `rate`: requests per second, positive. `busiest`: recorded arrivals begin, at once, where most
  /// of them come within so long; zero: with a gap that the seed draws.
  ArrivalSchedule(double rate, const Arrivals& arrivals, std::uint64_t seed,
                  std::chrono::nanoseconds busiest = {});

  /// When the next request is due, counted from the begin. At random: gaps of the exponential or
  /// the gamma distribution, of mean 1/rate; evenly spaced: n/rate; as recorded: the trace's gaps,
  /// stretched to that mean, over and over (its times must be read).
  std::chrono::nanoseconds due() const { return due_; }
  double due_seconds() const { return seconds_; }
  void Advance();

 private:
  double NextGap();
  double RecordedGap();

  const Arrivals arrivals_;
  const double rate_;
  SeededRandom random_;
  std::uint64_t count_ = 0;
  std::size_t recorded_ = 0;  // of a trace: the gap that comes next
  double seconds_ = 0;
  std::chrono::nanoseconds due_{0};
};

}  // namespace mlprof::server
