// One stat of a plane's events, found for each of many. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "server/devices/xspace/trace.h"

namespace mlprof::server::xspace {

/// Of the event itself, else of what the events of its name share. Where it stands among the shared
/// ones is looked up once a name and remembered, so that asking for it costs an event no more than
/// what it holds itself. The plane must outlive it; one thread at a time.
class StatOf {
 public:
  StatOf(const Plane& plane, std::string_view name) : plane_(plane), id_(plane.StatId(name)) {}

  /// Whether the plane knows the name.
  explicit operator bool() const { return id_.has_value(); }
  bool Is(std::int64_t id) const { return id_ && *id_ == id; }

  std::optional<Stat> Of(const Event& event) const;
  /// Of the event itself alone.
  std::optional<Stat> OwnOf(const Event& event) const { return plane_.FindOwn(event, id_); }
  /// `shared` is one of the plane's.
  std::optional<Stat> Of(const EventMetadata& shared) const;

  /// The same as a text, a number and a whole number; "" and 0 where there is none.
  template <class From>
  std::string_view TextOf(const From& from) const {
    const auto stat = Of(from);
    return stat ? stat->text : std::string_view();
  }
  template <class From>
  double NumberOf(const From& from) const {
    const auto stat = Of(from);
    return stat ? stat->Number() : 0;
  }
  template <class From>
  std::uint64_t WholeOf(const From& from) const {
    const auto stat = Of(from);
    return stat ? stat->Whole() : 0;
  }

 private:
  const Plane& plane_;
  const std::optional<std::int64_t> id_;
  mutable std::vector<std::uint16_t> places_;  // by name: not looked up, none, or 2 + where
};

}  // namespace mlprof::server::xspace
