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
  /// Of this shape and scale 1, by Marsaglia and Tsang (ACM TOMS 26, 2000); positive.
  double Gamma(double shape) {
    if (shape < 1) return Gamma(shape + 1) * std::pow(1 - Uniform(), 1 / shape);
    const double d = shape - 1.0 / 3;
    const double c = 1 / std::sqrt(9 * d);
    while (true) {
      const double x = Normal();
      const double v = std::pow(1 + c * x, 3);
      if (v > 0 && std::log1p(-Uniform()) < x * x / 2 + d - d * v + d * std::log(v)) return d * v;
    }
  }
  /// Standard normal (Box and Muller).
  double Normal() {
    constexpr double kTwoPi = 6.283185307179586;
    return std::sqrt(-2 * std::log1p(-Uniform())) * std::cos(kTwoPi * Uniform());
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace mlprof::server
