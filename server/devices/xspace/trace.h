// A device trace in memory: what an XSpace holds, as planes, lines and events. Texts and encoded
// stats point into the file's bytes, which must outlive it. Pure values; read by any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/devices/xspace/id_map.h"
#include "server/devices/xspace/wire.h"

namespace mlprof::server::xspace {

/// Ten hours: no trace is longer, and sums of such times fit in 64 bits with room.
inline constexpr std::int64_t kLongestTracePs = 36'000'000'000'000'000;

/// A named value of an event, of what events share, or of a plane.
struct Stat {
  enum class Kind : std::uint8_t { kNone, kDouble, kUnsigned, kSigned, kText, kBytes };
  std::int64_t id = 0;  // of its name in the plane
  Kind kind = Kind::kNone;
  std::uint64_t bits = 0;
  std::string_view text;

  /// The number, whatever its kind on the wire; 0 for a text, and for what no device counts to:
  /// what is no number, and what is beyond 1e30 in size.
  double Number() const;
  /// A whole number as 64 bits, with no regard to its sign; 0 for a text.
  std::uint64_t Whole() const;
};

/// Names and texts beyond this are cut where they are shown: one may be as long as the file, and be
/// named by every event.
inline constexpr std::size_t kLongestName = 4096;
inline std::string_view CutName(std::string_view name) { return name.substr(0, kLongestName); }

inline constexpr std::size_t kMostSharedStats = 4096;

/// What the events of one name share.
struct EventMetadata {
  std::int64_t id = 0;
  std::string_view name;
  std::string_view display_name;
  std::vector<std::string_view> stats;  // encoded; at most kMostSharedStats
  std::vector<std::int64_t> children;   // ids
};

struct Event {
  std::int64_t start_ps = 0;  // since the trace began
  std::int64_t duration_ps = 0;
  const char* message =
      nullptr;  // the event as it is encoded: its stats are decoded when asked for
  std::uint32_t message_size = 0;
  std::uint32_t metadata = 0;  // index into the plane's

  std::int64_t end_ps() const { return start_ps + duration_ps; }
};

struct Line {
  std::int64_t id = 0;
  std::string_view name;      // the display name where there is one
  std::vector<Event> events;  // by start, the longer first
};

struct Plane {
  std::int64_t id = 0;
  std::string_view name;
  std::vector<Line> lines;
  std::vector<EventMetadata> metadata;
  IdMap<std::string_view> stat_names;
  std::vector<std::string_view> stats;  // encoded

  /// The id of a stat's name in this plane; nullopt where nothing here has it.
  std::optional<std::int64_t> StatId(std::string_view stat) const;
  /// The plane's own stat of a name.
  std::optional<Stat> OwnStat(std::string_view stat) const;
  /// Of what the events share. nullopt for nullopt. What is asked of every event is asked of a
  /// StatOf, which looks there once a name.
  std::optional<Stat> Find(const EventMetadata& shared, std::optional<std::int64_t> id) const;
  /// Of the event itself.
  std::optional<Stat> FindOwn(const Event& event, std::optional<std::int64_t> id) const;
  const EventMetadata& Of(const Event& event) const { return metadata[event.metadata]; }
  Stat Decode(std::string_view message) const;
  /// Calls `take(id, message)` for every stat of the event itself.
  template <class Take>
  static void ForEachStat(const Event& event, Take take);
};

/// The id of an encoded stat's name.
std::int64_t StatIdOf(std::string_view stat);

template <class Take>
void Plane::ForEachStat(const Event& event, Take take) {
  constexpr std::uint32_t kStatsOfEvent = 4;
  FieldReader reader({event.message, event.message_size});
  Field field;
  while (reader.Next(field)) {
    if (field.number == kStatsOfEvent && field.IsBytes()) take(StatIdOf(field.bytes), field.bytes);
  }
}

struct Trace {
  std::vector<Plane> planes;
  std::vector<std::string_view> hostnames;
  std::vector<std::string_view> errors;
  std::vector<std::string_view> warnings;
  /// When the trace began, in ns since 1970 by the clock of the recorded machine; nullopt where it
  /// does not tell.
  std::optional<std::int64_t> start_unix_ns = {};
  /// Of a part of a trace (restricted_trace.h): how long it is.
  std::optional<std::int64_t> part_ps = {};

  const Plane* FindPlane(std::string_view name) const;
  std::size_t EventCount() const;
  /// When the last event ends.
  std::int64_t LastPs() const;
};

}  // namespace mlprof::server::xspace
