// The resources that a container is given, and a table with one entry for each.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <utility>

namespace mlprof {

enum class ResourceKind { kCpu, kMemory, kDeviceMemory };

inline constexpr std::array kResources = {ResourceKind::kCpu, ResourceKind::kMemory,
                                          ResourceKind::kDeviceMemory};

/// At most one value a resource; what is not there is absent.
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

}  // namespace mlprof
