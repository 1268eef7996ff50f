#include "server/devices/xspace/read_trace.h"

#include <algorithm>
#include <limits>

#include "common/units/size_text.h"
#include "server/devices/xspace/id_map.h"
#include "server/devices/xspace/wire.h"

namespace mlprof::server::xspace {
namespace {

constexpr std::int64_t kPicosecondsOfNanosecond = 1000;
// Later than this a line's start is a time of day and no time since the trace began.
constexpr std::int64_t kLatestStartNs = kLongestTracePs / kPicosecondsOfNanosecond;

// In the year 2096; differences of such times fit in 64 bits.
constexpr std::int64_t kLatestUnixNs = 4'000'000'000'000'000'000;

Error Damaged() {
  return InvalidArgument(
      "it is no XSpace, or it is cut or damaged: what a profiler has written as .xplane.pb is "
      "expected");
}

Error TooManyStats(const std::string& what) {
  return {ErrorCode::kTooLarge, what + " in it has more stats than any that a profiler writes"};
}

class TraceReader {
 public:
  explicit TraceReader(const TraceLimits& limits) : limits_(limits) {}

  // XSpace: planes = 1, errors = 2, warnings = 3, hostnames = 4.
  Result<Trace> Read(std::string_view bytes) {
    FieldReader reader(bytes);
    Field field;
    while (reader.Next(field)) {
      unknown_ = unknown_ || !field.IsBytes();
      if (!field.IsBytes()) continue;
      if (field.number == 1) MLPROF_TRY(ReadPlane(field.bytes));
      unknown_ = unknown_ || field.number > 4;
      if (field.number >= 2 && field.number <= 4) MLPROF_TRY(Count());
      if (field.number == 2) trace_.errors.push_back(field.bytes);
      if (field.number == 3) trace_.warnings.push_back(field.bytes);
      if (field.number == 4) trace_.hostnames.push_back(field.bytes);
    }
    if (!reader.ok()) return Fail(Damaged());
    MLPROF_TRY(Place());
    return std::move(trace_);
  }

 private:
  using Index = IdMap<std::uint32_t>;

  Status Count() {
    if (++parts_ > limits_.parts) {
      return Fail(ErrorCode::kTooLarge, "it has more names and lines than any trace that is known");
    }
    return {};
  }

  // XPlane: id = 1, name = 2, lines = 3, event_metadata = 4, stat_metadata = 5, stats = 6. The
  // lines may stand before the names, so they are read last.
  Status ReadPlane(std::string_view message) {
    MLPROF_TRY(Count());
    Plane plane;
    Index index;
    std::vector<std::string_view> lines;
    FieldReader reader(message);
    Field field;
    while (reader.Next(field)) {
      if (field.number == 1 && field.IsNumber()) plane.id = field.Signed();
      if (!field.IsBytes()) continue;
      switch (field.number) {
        case 2: plane.name = field.bytes; break;
        case 3: lines.push_back(field.bytes); break;
        case 4: MLPROF_TRY(ReadEventMetadata(field.bytes, plane, index)); break;
        case 5: MLPROF_TRY(ReadStatMetadata(field.bytes, plane)); break;
        case 6: plane.stats.push_back(field.bytes); break;
        default: continue;
      }
      MLPROF_TRY(Count());
    }
    if (!reader.ok()) return Fail(Damaged());
    for (const std::string_view line : lines) MLPROF_TRY(ReadLine(line, plane, index));
    trace_.planes.push_back(std::move(plane));
    return {};
  }

  // An entry of a map: key = 1, value = 2; of XStatMetadata: id = 1, name = 2.
  Status ReadStatMetadata(std::string_view entry, Plane& plane) {
    std::int64_t id = 0;
    std::string_view name;
    FieldReader reader(entry);
    Field field;
    while (reader.Next(field)) {
      if (field.number == 1 && field.IsNumber()) id = field.Signed();
      if (field.number != 2 || !field.IsBytes()) continue;
      FieldReader value(field.bytes);
      Field inner;
      while (value.Next(inner)) {
        if (inner.number == 2 && inner.IsBytes()) name = inner.bytes;
      }
      if (!value.ok()) return Fail(Damaged());
    }
    if (!reader.ok()) return Fail(Damaged());
    plane.stat_names[id] = name;
    return {};
  }

  Status ReadEventMetadata(std::string_view entry, Plane& plane, Index& index) {
    std::int64_t key = 0;
    EventMetadata shared;
    FieldReader reader(entry);
    Field field;
    while (reader.Next(field)) {
      if (field.number == 1 && field.IsNumber()) key = field.Signed();
      if (field.number == 2 && field.IsBytes()) MLPROF_TRY(ReadShared(field.bytes, shared));
    }
    if (!reader.ok()) return Fail(Damaged());
    shared.id = key;
    const auto [known, is_new] =
        index.emplace(key, static_cast<std::uint32_t>(plane.metadata.size()));
    if (is_new) {
      plane.metadata.push_back(std::move(shared));
    } else {
      plane.metadata[known->second] = std::move(shared);
    }
    return {};
  }

  // XEventMetadata: id = 1, name = 2, display_name = 4, stats = 5, child_id = 6.
  Status ReadShared(std::string_view message, EventMetadata& shared) {
    FieldReader reader(message);
    Field field;
    while (reader.Next(field)) {
      if (field.number == 2 && field.IsBytes()) shared.name = field.bytes;
      if (field.number == 4 && field.IsBytes()) shared.display_name = field.bytes;
      if (field.number == 5 && field.IsBytes()) {
        MLPROF_TRY(Count());
        if (shared.stats.size() >= kMostSharedStats) return Fail(TooManyStats("a name"));
        shared.stats.push_back(field.bytes);
      }
      if (field.number == 6) {
        ForEachNumber(field, [&](std::uint64_t id) {
          if (++parts_ > limits_.parts) return;
          shared.children.push_back(static_cast<std::int64_t>(id));
        });
      }
    }
    if (!reader.ok()) return Fail(Damaged());
    return Count();
  }

  // XLine: id = 1, name = 2, timestamp_ns = 3, events = 4, display_name = 11.
  Status ReadLine(std::string_view message, Plane& plane, Index& index) {
    Line line;
    std::int64_t timestamp_ns = 0;
    std::string_view display_name;
    FieldReader reader(message);
    Field field;
    while (reader.Next(field)) {
      if (field.number == 4 && field.IsBytes()) {
        MLPROF_TRY(ReadEvent(field.bytes, plane, index, line.events));
      } else if (field.number == 1 && field.IsNumber()) {
        line.id = field.Signed();
      } else if (field.number == 2 && field.IsBytes()) {
        line.name = field.bytes;
      } else if (field.number == 3 && field.IsNumber()) {
        timestamp_ns = field.Signed();
      } else if (field.number == 11 && field.IsBytes()) {
        display_name = field.bytes;
      }
    }
    if (!reader.ok()) return Fail(Damaged());
    if (!display_name.empty()) line.name = display_name;
    if (timestamp_ns < 0) return Fail(Damaged());
    starts_ns_.push_back(timestamp_ns);
    plane.lines.push_back(std::move(line));
    return Count();
  }

  // XEvent: metadata_id = 1, offset_ps = 2, duration_ps = 3, stats = 4, num_occurrences = 5. The
  // start is the offset until every line's own start is known.
  Status ReadEvent(std::string_view message, Plane& plane, Index& index,
                   std::vector<Event>& events) {
    Event event;
    std::int64_t metadata_id = 0;
    bool on_timeline = true;
    std::size_t stats = 0;
    FieldReader reader(message);
    Field field;
    while (reader.Next(field)) {
      if (field.number == 4 && ++stats > limits_.stats_of_event) {
        return Fail(TooManyStats("an event"));
      }
      if (!field.IsNumber()) continue;
      switch (field.number) {
        case 1: metadata_id = field.Signed(); break;
        case 2: event.start_ps = field.Signed(); break;
        case 3: event.duration_ps = field.Signed(); break;
        case 5: on_timeline = false; break;  // a sum of many, which has no place in time
        default: break;
      }
    }
    if (!reader.ok() || message.size() > std::numeric_limits<std::uint32_t>::max()) {
      return Fail(Damaged());
    }
    if (event.start_ps < -kLongestTracePs || event.start_ps > kLongestTracePs ||
        event.duration_ps > kLongestTracePs) {
      return Fail(InvalidArgument("an event in it lies outside of any time a trace can take"));
    }
    if (!on_timeline) return {};
    if (++events_ > limits_.events) {
      return Fail(ErrorCode::kTooLarge, "it has more than " + std::to_string(limits_.events) +
                                            " events: trace for a shorter time");
    }
    event.duration_ps = std::max<std::int64_t>(event.duration_ps, 0);
    event.message = message.data();
    event.message_size = static_cast<std::uint32_t>(message.size());
    event.metadata = IndexOf(metadata_id, plane, index);
    events.push_back(event);
    return parts_ > limits_.parts ? Count() : Status();
  }

  // Events may name what the plane does not describe: such a name is "".
  std::uint32_t IndexOf(std::int64_t id, Plane& plane, Index& index) {
    const auto [known, is_new] =
        index.emplace(id, static_cast<std::uint32_t>(plane.metadata.size()));
    if (is_new) {
      plane.metadata.emplace_back();
      plane.metadata.back().id = id;
      ++parts_;
    }
    return known->second;
  }

  // Gives every event its time since the trace began. Lines that were written with the time of day
  // begin where the first of them does.
  Status Place() {
    if (trace_.planes.empty()) {
      if (unknown_) return Fail(Damaged());
      return Fail(InvalidArgument("nothing was recorded: the trace is empty"));
    }
    std::int64_t base_ns = 0;
    for (const std::int64_t start : starts_ns_) {
      if (start <= kLatestStartNs) continue;
      base_ns = base_ns == 0 ? start : std::min(base_ns, start);
    }
    std::size_t at = 0;
    for (Plane& plane : trace_.planes) {
      for (Line& line : plane.lines) {
        const std::int64_t start = starts_ns_[at++];
        const std::int64_t since = start > kLatestStartNs ? start - base_ns : start;
        if (since > kLatestStartNs) {
          return Fail(InvalidArgument("its lines lie further apart than any trace can take"));
        }
        for (Event& event : line.events) event.start_ps += since * kPicosecondsOfNanosecond;
        Sort(line);
      }
    }
    trace_.start_unix_ns = base_ns != 0 ? CheckedStart(base_ns) : ToldStart();
    return {};
  }

  // Of lines whose times count from the profile's start.
  std::optional<std::int64_t> ToldStart() const {
    const Plane* plane = trace_.FindPlane("Task Environment");
    const auto start = plane != nullptr ? plane->OwnStat("profile_start_time") : std::nullopt;
    return start ? CheckedStart(static_cast<std::int64_t>(start->Whole())) : std::nullopt;
  }

  static std::optional<std::int64_t> CheckedStart(std::int64_t unix_ns) {
    if (unix_ns <= kLatestStartNs || unix_ns > kLatestUnixNs) return std::nullopt;
    return unix_ns;
  }

  static void Sort(Line& line) {
    const auto before = [](const Event& a, const Event& b) {
      return a.start_ps != b.start_ps ? a.start_ps < b.start_ps : a.duration_ps > b.duration_ps;
    };
    if (!std::is_sorted(line.events.begin(), line.events.end(), before)) {
      std::stable_sort(line.events.begin(), line.events.end(), before);
    }
  }

  const TraceLimits limits_;
  Trace trace_;
  std::vector<std::int64_t> starts_ns_;  // of every line, in their order
  std::size_t parts_ = 0;
  std::size_t events_ = 0;
  bool unknown_ = false;
};

}  // namespace

Result<Trace> ReadTrace(std::string_view bytes, const TraceLimits& limits) {
  if (bytes.empty()) return Fail(InvalidArgument("the file is empty: no trace was written"));
  if (bytes.size() > static_cast<std::uint64_t>(limits.file.count())) {
    return Fail(ErrorCode::kTooLarge,
                "a trace may have at most " + SizeText(limits.file) + ": trace for a shorter time");
  }
  return TraceReader(limits).Read(bytes);
}

}  // namespace mlprof::server::xspace
