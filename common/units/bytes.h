// Bytes: an amount of memory or disk. Explicit construction, so that a count never becomes a size.
// DeviceMemory: so much on each of several devices.
#pragma once

#include <compare>
#include <cstdint>

namespace mlprof {

class Bytes {
 public:
  constexpr Bytes() = default;
  constexpr explicit Bytes(std::int64_t count) : count_(count) {}

  constexpr std::int64_t count() const { return count_; }
  /// GiB (2^30), the unit of every `…InGb` field.
  constexpr double gib() const { return static_cast<double>(count_) / (1024.0 * 1024.0 * 1024.0); }
  constexpr double mib() const { return static_cast<double>(count_) / (1024.0 * 1024.0); }

  constexpr auto operator<=>(const Bytes&) const = default;
  constexpr Bytes operator+(Bytes o) const { return Bytes(count_ + o.count_); }
  constexpr Bytes operator-(Bytes o) const { return Bytes(count_ - o.count_); }
  constexpr Bytes& operator+=(Bytes o) {
    count_ += o.count_;
    return *this;
  }

 private:
  std::int64_t count_ = 0;
};

constexpr Bytes KiB(std::int64_t n) { return Bytes(n * 1024); }
constexpr Bytes MiB(std::int64_t n) { return Bytes(n * 1024 * 1024); }
constexpr Bytes GiB(std::int64_t n) { return Bytes(n * 1024 * 1024 * 1024); }
/// `gib` × 2^30, to the nearest byte.
constexpr Bytes BytesFromGib(double gib) {
  const double bytes = gib * 1024.0 * 1024.0 * 1024.0;
  // std::llround is not constexpr in C++20.
  return Bytes(static_cast<std::int64_t>(bytes + 0.5));  // NOLINT(bugprone-incorrect-roundings)
}
constexpr Bytes Scale(Bytes bytes, double factor) {
  return Bytes(static_cast<std::int64_t>(static_cast<double>(bytes.count()) * factor));
}
/// The next multiple of `quantum` at or above `bytes`.
constexpr Bytes RoundUp(Bytes bytes, Bytes quantum) {
  const std::int64_t q = quantum.count();
  return Bytes((bytes.count() + q - 1) / q * q);
}

/// So much memory on each of so many devices.
struct DeviceMemory {
  Bytes each;
  int count = 1;  // of devices
  bool operator==(const DeviceMemory&) const = default;
};

}  // namespace mlprof
