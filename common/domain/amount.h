// The resources that a container is given, and an amount of one of them, whichever it is: what
// limits, bounds and steps are made of. Plain values.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "common/units/bytes.h"
#include "common/units/cores.h"

namespace mlprof {

/// The resources that a container is given.
enum class ResourceKind { kCpu, kMemory, kDeviceMemory };

inline constexpr std::array kResources = {ResourceKind::kCpu, ResourceKind::kMemory,
                                          ResourceKind::kDeviceMemory};

/// A table with at most one value a resource; what is not there is absent.
template <class Value>
class PerResource {
 public:
  /// For constant expressions too, in which UBSan's builds compare no pointer.
  constexpr const std::optional<Value>& At(ResourceKind kind) const {
    return entries_[Index(kind)];
  }
  /// nullptr where there is none; valid until the entry is set again.
  constexpr const Value* Find(ResourceKind kind) const { return Pointer(entries_[Index(kind)]); }
  constexpr Value* Find(ResourceKind kind) { return Pointer(entries_[Index(kind)]); }
  constexpr void Set(ResourceKind kind, Value value) {
    entries_[Index(kind)].emplace(std::move(value));
  }

  bool operator==(const PerResource&) const = default;

 private:
  static constexpr std::size_t Index(ResourceKind kind) { return static_cast<std::size_t>(kind); }
  template <class Entry>
  static constexpr auto* Pointer(Entry& entry) {
    return entry ? &*entry : nullptr;
  }

  std::array<std::optional<Value>, kResources.size()> entries_;
};

/// So much of one resource. It comes from a typed quantity and gives one back; in between the same
/// arithmetic serves every resource.
class Amount {
 public:
  // A quantity is an amount of the resource that its type names.
  // NOLINTBEGIN(google-explicit-constructor)
  constexpr Amount(Cores cpu) : kind_(ResourceKind::kCpu), units_(cpu.millicores()) {}
  constexpr Amount(Bytes memory) : kind_(ResourceKind::kMemory), units_(memory.count()) {}
  constexpr Amount(DeviceMemory memory)
      : kind_(ResourceKind::kDeviceMemory), units_(memory.each.count()), count_(memory.count) {}
  // NOLINTEND(google-explicit-constructor)

  constexpr ResourceKind kind() const { return kind_; }
  /// Of kCpu.
  constexpr Cores cores() const { return Cores::FromMillicores(units_); }
  /// Of kMemory, and of kDeviceMemory on each device.
  constexpr Bytes bytes() const { return Bytes(units_); }
  /// Of kDeviceMemory.
  constexpr DeviceMemory device_memory() const { return {Bytes(units_), count_}; }

  /// In the smallest unit of the resource: thousandths of a core, bytes (on each device).
  constexpr std::int64_t units() const { return units_; }
  /// Devices; 1 of what has none.
  constexpr int count() const { return count_; }
  /// As many devices with so much each.
  constexpr Amount WithUnits(std::int64_t units) const {
    Amount amount = *this;
    amount.units_ = units;
    return amount;
  }

  constexpr bool operator==(const Amount&) const = default;
  /// Less is no more of anything: 2 × 4 GiB and 1 × 6 GiB are not ordered, nor are two resources.
  friend constexpr std::partial_ordering operator<=>(const Amount& a, const Amount& b) {
    if (a == b) return std::partial_ordering::equivalent;
    if (a.kind_ != b.kind_) return std::partial_ordering::unordered;
    if (a.units_ <= b.units_ && a.count_ <= b.count_) return std::partial_ordering::less;
    if (a.units_ >= b.units_ && a.count_ >= b.count_) return std::partial_ordering::greater;
    return std::partial_ordering::unordered;
  }

  /// The most that is in both, and the least that holds both; of the same resource.
  friend constexpr Amount Lesser(Amount a, const Amount& b) {
    a.units_ = std::min(a.units_, b.units_);
    a.count_ = std::min(a.count_, b.count_);
    return a;
  }
  friend constexpr Amount Greater(Amount a, const Amount& b) {
    a.units_ = std::max(a.units_, b.units_);
    a.count_ = std::max(a.count_, b.count_);
    return a;
  }

 private:
  ResourceKind kind_;
  std::int64_t units_;
  int count_ = 1;
};

/// Rounded down to a whole unit.
constexpr Amount PercentOf(const Amount& amount, int percent) {
  const std::int64_t units = amount.units();
  return amount.WithUnits(units / 100 * percent + units % 100 * percent / 100);
}

}  // namespace mlprof
