// Random numbers that are the same on every machine for the same seed: the distributions of the
// standard library are left to each implementation. Pure; one thread at a time.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>

namespace mlprof::server {

class SeededRandom {
 public:
  explicit SeededRandom(std::uint64_t seed) : engine_(seed) {}

  /// In [0, 1).
  double Uniform() { return static_cast<double>(engine_() >> 11) * 0x1.0p-53; }
  double Between(double low, double high) { return low + (high - low) * Uniform(); }
  /// In [0, count); `count` is at least 1.
  std::size_t Index(std::size_t count) {
    return static_cast<std::size_t>(Uniform() * static_cast<double>(count));
  }
  /// The time to the next event of a Poisson process.
  double Exponential(double mean) { return -mean * std::log1p(-Uniform()); }
  /// Standard normal (Box and Muller).
  double Normal() {
    constexpr double kTwoPi = 6.283185307179586;
    return std::sqrt(-2 * std::log1p(-Uniform())) * std::cos(kTwoPi * Uniform());
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace mlprof::server
