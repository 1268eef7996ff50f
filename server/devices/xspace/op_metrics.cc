#include "server/devices/xspace/op_metrics.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>

#include "server/devices/xspace/nesting.h"
#include "server/devices/xspace/op_facts.h"
#include "server/devices/xspace/stat_of.h"

namespace mlprof::server::xspace {
namespace {

constexpr double kTera = 1e12;
constexpr double kGiga = 1e9;

double PlaneNumber(const Plane& plane, std::string_view name) {
  const auto stat = plane.OwnStat(name);
  return stat ? stat->Number() : 0;
}

DevicePeaks PeaksOf(const Plane& plane) {
  DevicePeaks peaks;
  peaks.flops_per_second = PlaneNumber(plane, "peak_teraflops_per_second") * kTera;
  peaks.hbm_bytes_per_second = PlaneNumber(plane, "peak_hbm_bw_gigabytes_per_second") * kGiga;
  const auto bandwidth = [&](const std::string& which) {
    return PlaneNumber(plane, "peak_" + which + "_bw_gigabytes_per_second") * kGiga;
  };
  peaks.cmem_read_bytes_per_second = bandwidth("cmem_rd");
  peaks.cmem_write_bytes_per_second = bandwidth("cmem_wr");
  peaks.vmem_read_bytes_per_second = bandwidth("vmem_rd");
  peaks.vmem_write_bytes_per_second = bandwidth("vmem_wr");
  return peaks;
}

// Whether a core tells of a chip, and the number of that chip, else of itself: it is one by itself.
using ChipId = std::pair<bool, std::int64_t>;

// CoreDetails: local_chip_id = 4.
ChipId ChipOf(const Plane& plane) {
  const auto stat = plane.OwnStat("core_details");
  if (stat && stat->kind == Stat::Kind::kBytes) {
    FieldReader reader(stat->text);
    Field field;
    while (reader.Next(field)) {
      if (field.number == 4 && field.IsNumber()) return {true, field.Signed()};
    }
    return {true, 0};
  }
  return {false, plane.id};
}

// How long at least one of the spans lasts; sorts them.
double Union(std::vector<Span>& spans) {
  std::sort(spans.begin(), spans.end(),
            [](const Span& a, const Span& b) { return a.start_ps < b.start_ps; });
  double sum = 0;
  std::int64_t until = std::numeric_limits<std::int64_t>::min();
  for (const Span& span : spans) {
    const std::int64_t from = std::max(until, span.start_ps);
    if (span.end_ps() > from) sum += static_cast<double>(span.end_ps() - from);
    until = std::max(until, span.end_ps());
  }
  return sum;
}

struct Chip {
  std::vector<Span> busy;
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t last = std::numeric_limits<std::int64_t>::min();

  void Cover(const Span& span) {
    first = std::min(first, span.start_ps);
    last = std::max(last, span.end_ps());
  }
};

class Collector {
 public:
  Collector(const Trace& trace, const TimeLimit& time) : trace_(trace), time_(time) {
    table_.hardware = HardwareOf(trace);
    table_.programs = ProgramNames(trace);
  }

  OpTable Run() {
    if (table_.hardware == Hardware::kTpu) {
      for (const Plane* plane : TensorCores(trace_)) AddCore(*plane);
      for (auto& [id, chip] : chips_) AddChip(chip);
    } else if (table_.hardware == Hardware::kGpu) {
      for (const Plane* plane : Gpus(trace_)) AddGpu(*plane);
    } else if (const Plane* host = trace_.FindPlane(kHostPlane)) {
      AddHost(*host);
    }
    for (Op& op : table_.ops) Finish(op);
    return std::move(table_);
  }

 private:
  void Device(const Plane& plane) {
    if (table_.devices++ > 0) return;
    const auto type = plane.OwnStat("device_type_string");
    table_.device_type =
        type ? std::string(CutName(type->text)) : std::string(Name(table_.hardware));
    table_.peaks = PeaksOf(plane);
  }

  // From its first event to its last; of a part of a trace all of that.
  double TimeOf(const Chip& device) const {
    if (trace_.part_ps) return static_cast<double>(*trace_.part_ps);
    return device.last > device.first ? static_cast<double>(device.last - device.first) : 0;
  }

  // Of a part of a trace, whether the device did anything while the whole was recorded.
  bool WasThere(const Plane& plane) const { return !trace_.part_ps || !plane.lines.empty(); }

  void AddCore(const Plane& plane) {
    if (!WasThere(plane)) return;
    Device(plane);
    Chip& chip = chips_[ChipOf(plane)];
    Chip own;
    if (const Line* modules = FindLine(plane, "XLA Modules")) {
      for (const Event& event : modules->events) chip.Cover(SpanOf(event));
    }
    if (const Line* steps = FindLine(plane, "Steps")) {
      for (const Event& event : steps->events) own.Cover(SpanOf(event));
    }
    if (const Line* ops = FindLine(plane, "XLA Ops")) AddOps(plane, *ops, chip, own);
    table_.total_ps += TimeOf(own);
  }

  void AddOps(const Plane& plane, const Line& line, Chip& chip, Chip& own) {
    OpFacts facts(plane);
    std::vector<std::int64_t> index(plane.metadata.size(), kUnseen);
    std::int64_t busy_until = std::numeric_limits<std::int64_t>::min();
    for (const Nested& event : NestingOf(plane, line, true)) {
      if (time_.Over()) return;
      chip.Cover(event.span);
      own.Cover(event.span);
      const Event& encoded = line.events[event.event];
      std::int64_t& at = index[encoded.metadata];
      if (at == kUnseen) at = Place(facts, plane.metadata[encoded.metadata]);
      if (at == kNoOp) continue;
      Op& op = table_.ops[static_cast<std::size_t>(at)];
      Count(op, static_cast<double>(event.span.duration_ps), static_cast<double>(event.self_ps));
      facts.AddOccurrence(encoded, op);
      if (!IsOffDuty(op.category) && event.span.end_ps() > busy_until) {
        chip.busy.push_back(event.span);
        busy_until = event.span.end_ps();
      }
    }
  }

  // Where an operation is counted; kNoOp for an event that is none.
  std::int64_t Place(OpFacts& facts, const EventMetadata& shared) {
    auto op = facts.Read(shared);
    if (!op) return kNoOp;
    return Place({op->program_id, std::to_string(op->symbol_id)}, std::move(*op));
  }

  std::int64_t Place(std::pair<std::uint64_t, std::string> key, Op op) {
    if (places_.size() >= kMostOps && !places_.contains(key)) {
      op = Op();
      op.name = "(others)";
      key = {0, op.name};
    }
    const auto [known, is_new] = places_.emplace(std::move(key), table_.ops.size());
    if (is_new) table_.ops.push_back(std::move(op));
    return static_cast<std::int64_t>(known->second);
  }

  static void Count(Op& op, double time_ps, double self_ps) {
    op.occurrences += 1;
    op.time_ps += time_ps;
    op.self_ps += self_ps;
  }

  void AddChip(Chip& chip) {
    table_.busy_ps += Union(chip.busy);
    table_.chip_ps += TimeOf(chip);
  }

  // Kernels, by the operation of the framework that launched them; nested they are not.
  void AddGpu(const Plane& plane) {
    if (!WasThere(plane)) return;
    Device(plane);
    const StatOf tf_op(plane, "tf_op");
    const StatOf hlo_op(plane, "hlo_op");
    const StatOf program(plane, "program_id");
    Chip own;
    for (const Line& line : plane.lines) {
      if (line.name == "_counters_") continue;
      for (const Event& event : line.events) {
        if (time_.Over()) return;
        own.Cover(SpanOf(event));
        const auto framework = tf_op.Of(event);
        const auto hlo = hlo_op.Of(event);
        if (!framework && !hlo) continue;
        Op op = KernelOf(plane, event, framework, hlo);
        if (hlo) op.program_id = program.WholeOf(event);
        const std::pair<std::uint64_t, std::string> key(op.program_id, op.name);
        const auto at = static_cast<std::size_t>(Place(key, std::move(op)));
        const auto time = static_cast<double>(event.duration_ps);
        Count(table_.ops[at], time, time);
        own.busy.push_back(SpanOf(event));
      }
    }
    table_.total_ps += TimeOf(own);
    AddChip(own);
  }

  // What XLA runs on the host's own cores; its runtime marks the ends of some by events of their
  // own.
  void AddHost(const Plane& plane) {
    const StatOf hlo_op(plane, "hlo_op");
    const StatOf program(plane, "program_id");
    if (!hlo_op) return;
    table_.device_type = "CPU";
    Chip own;
    for (const Line& line : plane.lines) {
      Line operations;  // alone: what a thread notes within one takes nothing from it
      for (const Event& event : line.events) {
        if (time_.Over()) return;
        if (plane.Of(event).name.starts_with("end: ")) continue;
        if (hlo_op.Of(event)) operations.events.push_back(event);
      }
      for (const Nested& event : NestingOf(plane, operations, false)) {
        if (time_.Over()) return;
        const Event& encoded = operations.events[event.event];
        const std::string_view name = CutName(hlo_op.TextOf(encoded));
        Op op;
        op.name = name;
        op.category = name.substr(0, name.find('.'));
        op.program_id = program.WholeOf(encoded);
        const std::pair<std::uint64_t, std::string> key(op.program_id, op.name);
        const auto at = static_cast<std::size_t>(Place(key, std::move(op)));
        Count(table_.ops[at], static_cast<double>(event.span.duration_ps),
              static_cast<double>(event.self_ps));
        own.Cover(event.span);
      }
    }
    table_.devices = own.last > own.first || trace_.part_ps ? 1 : 0;
    if (table_.devices > 0) table_.total_ps = TimeOf(own);
  }

  // What was read once is for every occurrence.
  static void Finish(Op& op) {
    op.flops = op.flops * op.occurrences + op.flops_beyond;
    op.model_flops = op.model_flops * op.occurrences + op.model_flops_beyond;
    op.bytes.all = op.bytes.all * op.occurrences + op.bytes_beyond;
    if (op.model_flops <= 0) op.model_flops = op.flops;
    BytesMoved by_space;
    by_space.Add(op.bytes, op.occurrences);
    by_space.all = op.bytes.all;
    op.bytes = by_space;
  }

  static constexpr std::size_t kMostOps = 200'000;
  static constexpr std::int64_t kUnseen = -1;
  static constexpr std::int64_t kNoOp = -2;

  const Trace& trace_;
  const TimeLimit& time_;
  OpTable table_;
  std::map<std::pair<std::uint64_t, std::string>, std::size_t> places_;
  std::map<ChipId, Chip> chips_;
};

}  // namespace

void BytesMoved::Add(const BytesMoved& other, double times) {
  all += other.all * times;
  hbm += other.hbm * times;
  cmem_read += other.cmem_read * times;
  cmem_write += other.cmem_write * times;
  vmem_read += other.vmem_read * times;
  vmem_write += other.vmem_write * times;
}

double OpTable::SelfPs() const {
  double sum = 0;
  for (const Op& op : ops) sum += op.self_ps;
  return sum;
}

std::optional<std::uint64_t> ProgramIdOf(std::string_view name) {
  const std::size_t open = name.rfind('(');
  if (open == std::string_view::npos || !name.ends_with(')')) return std::nullopt;
  const char* end = name.data() + name.size() - 1;
  std::uint64_t id = 0;
  const auto [stop, error] = std::from_chars(name.data() + open + 1, end, id);
  if (error != std::errc() || stop != end) return std::nullopt;
  return id;
}

std::map<std::uint64_t, std::string> ProgramNames(const Trace& trace) {
  std::map<std::uint64_t, std::string> out;
  const Plane* plane = trace.FindPlane(kMetadataPlane);
  if (plane == nullptr) return out;
  for (const EventMetadata& module : plane->metadata) {
    const auto id = ProgramIdOf(module.name);
    if (id) out[*id] = CutName(module.name.substr(0, module.name.rfind('(')));
  }
  return out;
}

OpTable CollectOps(const Trace& trace, const TimeLimit& time) {
  return Collector(trace, time).Run();
}

}  // namespace mlprof::server::xspace
