// Shares that are 0 where there is nothing to take them of. Pure.
#pragma once

namespace mlprof::server::xspace {

inline constexpr double kBytesOfMib = 1024.0 * 1024.0;
inline constexpr double kBytesOfGib = 1024.0 * 1024.0 * 1024.0;

inline double Ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }
inline double PercentOf(double part, double whole) { return 100 * Ratio(part, whole); }

}  // namespace mlprof::server::xspace
