// The trace as Chrome's and Perfetto's JSON, written event by event: nothing is kept but the piece
// that is being filled.
#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "server/devices/xspace/chrome_writer.h"
#include "server/devices/xspace/id_map.h"
#include "server/devices/xspace/part_asked.h"
#include "server/devices/xspace/planes.h"
#include "server/devices/xspace/restricted_trace.h"
#include "server/devices/xspace/tools.h"

namespace mlprof::server::xspace {
namespace {

constexpr int kRowsProcess = 601;
constexpr int kHostProcess = 701;
constexpr int kFirstTpu = 1001;
constexpr int kFirstGpu = 1501;
constexpr int kFirstOther = 2001;
constexpr double kLargestWritten = 1e30;  // NaN is none either
constexpr double kPsOfTraceMs = 1e9;

// 64 bits: a plane may be named after any number.
std::int64_t ProcessOf(const Plane& plane, std::size_t index) {
  if (plane.name == kHostPlane) return kHostProcess;
  if (const auto core = TensorCoreOf(plane)) return kFirstTpu + std::int64_t{*core};
  if (const auto gpu = GpuOf(plane)) return kFirstGpu + std::int64_t{*gpu};
  return kFirstOther + static_cast<std::int64_t>(index);
}

// What is seen of a line in a window: an event that is narrower than a column is left out where
// another one stands in its column, at its depth, already.
class Columns {
 public:
  explicit Columns(double ps_of_column) : ps_of_column_(ps_of_column) {}

  bool Shows(const Event& event) {
    if (ps_of_column_ <= 0) return true;
    while (!open_.empty() && open_.back() <= event.start_ps) open_.pop_back();
    const std::size_t depth = open_.size();
    open_.push_back(event.end_ps());
    if (static_cast<double>(event.duration_ps) >= ps_of_column_) return true;
    const double column = std::floor(static_cast<double>(event.start_ps) / ps_of_column_);
    const auto [last, is_new] = last_.emplace(depth, column);
    if (is_new) return true;
    if (last->second == column) return false;
    last->second = column;
    return true;
  }

 private:
  const double ps_of_column_;
  std::vector<std::int64_t> open_;  // the ends of those that enclose what comes next
  std::map<std::size_t, double> last_;
};

class ChromeTrace {
 public:
  /// `rows`: told as a track; nullptr where they are not known.
  ChromeTrace(const Trace& trace, const std::vector<RowVisit>* rows, const ToolOptions& options,
              const TextSink& sink)
      : trace_(trace), time_(options.time), rows_(rows), out_(sink) {
    const double last = static_cast<double>(trace.LastPs());
    from_ps_ = static_cast<std::int64_t>(std::clamp(options.from_ms * kPsOfTraceMs, 0.0, last));
    to_ps_ = static_cast<std::int64_t>(
        options.to_ms > 0 ? std::min(options.to_ms * kPsOfTraceMs, last) : last);
    if (options.resolution > 0) {
      column_ps_ = static_cast<double>(to_ps_ - from_ps_) / static_cast<double>(options.resolution);
    }
  }

  Status Write() {
    out_.Raw(R"({"displayTimeUnit":"ns","metadata":{"highres-ticks":true},"traceEvents":[)");
    for (std::size_t i = 0; i < trace_.planes.size(); ++i) {
      const Plane& plane = trace_.planes[i];
      if (plane.lines.empty()) continue;
      MLPROF_TRY(WritePlane(plane, ProcessOf(plane, i)));
    }
    if (rows_ != nullptr) MLPROF_TRY(WriteRows());
    out_.Raw("{}]}\n");
    return out_.Flush(true);
  }

 private:
  void Describe(const char* what, std::int64_t process, std::optional<std::size_t> thread,
                std::string_view name, std::size_t order) {
    const std::string ids = "\"pid\":" + std::to_string(process) +
                            (thread ? ",\"tid\":" + std::to_string(*thread) : std::string());
    out_.Raw(R"({"ph":"M",)" + ids + R"(,"name":")" + what + R"(_name","args":{"name":)");
    out_.String(name);
    out_.Raw("}},\n");
    out_.Raw(R"({"ph":"M",)" + ids + R"(,"name":")" + what +
             R"(_sort_index","args":{"sort_index":)" + std::to_string(order) + "}},\n");
  }

  Status WritePlane(const Plane& plane, std::int64_t process) {
    Describe("process", process, std::nullopt, plane.name, static_cast<std::size_t>(process));
    Hide(plane);
    for (std::size_t i = 0; i < plane.lines.size(); ++i) {
      const Line& line = plane.lines[i];
      Describe("thread", process, i + 1, line.name, i + 1);
      head_ = R"({"ph":"X","pid":)" + std::to_string(process) + R"(,"tid":)" +
              std::to_string(i + 1) + R"(,"ts":)";
      MLPROF_TRY(WriteLine(plane, line));
      MLPROF_TRY(out_.Flush(false));
    }
    return {};
  }

  // Rows that overlap stand below one another.
  Status WriteRows() {
    Describe("process", kRowsProcess, std::nullopt, "rows of the dataset", kRowsProcess);
    std::vector<std::int64_t> lanes;  // when each is free
    std::vector<Columns> columns;
    for (const RowVisit& visit : *rows_) {
      if (time_.Over()) return time_.Kept();
      const Span& span = visit.span;
      if (span.end_ps() < from_ps_ || span.start_ps > to_ps_) continue;
      const auto free = std::find_if(lanes.begin(), lanes.end(),
                                     [&](std::int64_t end_ps) { return end_ps <= span.start_ps; });
      const auto lane = static_cast<std::size_t>(free - lanes.begin());
      if (free == lanes.end()) {
        lanes.push_back(0);
        columns.emplace_back(column_ps_);
        Describe("thread", kRowsProcess, lane + 1, "in flight", lane + 1);
      }
      lanes[lane] = span.end_ps();
      if (columns[lane].Shows(EventOf(span))) WriteRow(visit, lane + 1);
      MLPROF_TRY(out_.Flush(false));
    }
    return {};
  }

  static Event EventOf(const Span& span) {
    Event event;
    event.start_ps = span.start_ps;
    event.duration_ps = span.duration_ps;
    return event;
  }

  void WriteRow(const RowVisit& visit, std::size_t lane) {
    out_.Raw(R"({"ph":"X","pid":)" + std::to_string(kRowsProcess) + R"(,"tid":)" +
             std::to_string(lane) + R"(,"ts":)");
    out_.Number(static_cast<double>(visit.span.start_ps) / 1e6);
    out_.Raw(R"(,"dur":)");
    out_.Number(static_cast<double>(visit.span.duration_ps) / 1e6);
    out_.Raw(R"(,"name":"row )" + std::to_string(visit.row) + "\"},\n");
  }

  // Stats for machines: they begin with '_', or say what the other tools tell better.
  void Hide(const Plane& plane) {
    shown_.clear();
    for (const auto& [id, name] : plane.stat_names) {
      const bool hidden = name.starts_with("_") || name.empty() || name == "flops" ||
                          name == "program_id" || name == "symbol_id";
      if (!hidden) shown_[id] = name;
    }
  }

  Status WriteLine(const Plane& plane, const Line& line) {
    Columns columns(column_ps_);
    for (const Event& event : line.events) {
      if (time_.Over()) return time_.Kept();
      if (event.start_ps > to_ps_) break;
      if (event.end_ps() < from_ps_ || !columns.Shows(event)) continue;
      WriteEvent(plane, event);
      MLPROF_TRY(out_.Flush(false));
    }
    return {};
  }

  void WriteEvent(const Plane& plane, const Event& event) {
    const EventMetadata& shared = plane.Of(event);
    out_.Raw(head_);
    out_.Number(static_cast<double>(event.start_ps) / 1e6);
    out_.Raw(R"(,"dur":)");
    out_.Number(static_cast<double>(event.duration_ps) / 1e6);
    out_.Raw(R"(,"name":)");
    out_.String(shared.display_name.empty() ? shared.name : shared.display_name);
    out_.Raw(R"(,"args":{)");
    bool first = true;
    Plane::ForEachStat(event, [&](std::int64_t id, std::string_view message) {
      const auto name = shown_.find(id);
      if (name == shown_.end()) return;
      if (!first) out_.Raw(",");
      first = false;
      out_.String(name->second);
      out_.Raw(":");
      WriteValue(plane.Decode(message));
      (void)out_.Flush(false);  // WriteLine asks how that went
    });
    if (!shared.display_name.empty()) {
      out_.Raw(first ? R"("long_name":)" : R"(,"long_name":)");
      out_.String(shared.name);
    }
    out_.Raw("}},\n");
  }

  void WriteValue(const Stat& stat) {
    switch (stat.kind) {
      case Stat::Kind::kText:
      case Stat::Kind::kBytes: return out_.String(stat.text);
      case Stat::Kind::kDouble: {
        const auto number = std::bit_cast<double>(stat.bits);
        return std::abs(number) < kLargestWritten ? out_.Number(number) : out_.Raw("null");
      }
      // As texts: JavaScript's numbers hold no 64 bits.
      case Stat::Kind::kUnsigned: return out_.Raw('"' + std::to_string(stat.bits) + '"');
      case Stat::Kind::kSigned:
        return out_.Raw('"' + std::to_string(static_cast<std::int64_t>(stat.bits)) + '"');
      case Stat::Kind::kNone: return out_.Raw("null");
    }
  }

  const Trace& trace_;
  const TimeLimit& time_;
  const std::vector<RowVisit>* rows_;
  ChromeWriter out_;
  std::int64_t from_ps_ = 0;
  std::int64_t to_ps_ = 0;
  double column_ps_ = 0;
  std::string head_;
  IdMap<std::string_view> shown_;
};

}  // namespace

Status WriteChromeTrace(const Trace& trace, const ToolOptions& options, const TextSink& sink) {
  MLPROF_LET(asked, VisitsAsked(options));
  if (!asked) {
    const auto* rows = options.rows != nullptr ? &options.rows->visits : nullptr;
    return ChromeTrace(trace, rows, options, sink).Write();
  }
  RestrictedTrace part(trace);
  const Trace& of_rows = part.To(SpansOf(*asked), options.time);
  return ChromeTrace(of_rows, &*asked, options, sink).Write();
}

}  // namespace mlprof::server::xspace
