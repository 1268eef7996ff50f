// Cores: an amount of CPU (1.0 is one core's whole time), kept in thousandths so that the 0.1 grid
// is exact.
#pragma once

#include <compare>
#include <cstdint>

namespace mlprof {

class Cores {
 public:
  constexpr Cores() = default;
  /// Rounded to the nearest thousandth.
  constexpr explicit Cores(double cores)
      : millicores_(static_cast<std::int64_t>(cores * 1000.0 + (cores < 0 ? -0.5 : 0.5))) {}
  static constexpr Cores FromMillicores(std::int64_t m) {
    Cores c;
    c.millicores_ = m;
    return c;
  }
  static constexpr Cores FromTenths(std::int64_t t) { return FromMillicores(t * 100); }

  constexpr std::int64_t millicores() const { return millicores_; }
  constexpr double value() const { return static_cast<double>(millicores_) / 1000.0; }
  constexpr bool OnGrid() const { return millicores_ % 100 == 0; }
  constexpr Cores RoundUpToGrid() const { return FromMillicores((millicores_ + 99) / 100 * 100); }
  constexpr Cores RoundDownToGrid() const { return FromMillicores(millicores_ / 100 * 100); }

  constexpr auto operator<=>(const Cores&) const = default;
  constexpr Cores operator+(Cores o) const { return FromMillicores(millicores_ + o.millicores_); }
  constexpr Cores operator-(Cores o) const { return FromMillicores(millicores_ - o.millicores_); }

 private:
  std::int64_t millicores_ = 0;
};

}  // namespace mlprof
