// What takes the device's memory while a compiled program runs, and what stands there at its peak.
#include <algorithm>

#include "server/devices/xspace/heap_timeline.h"
#include "server/devices/xspace/id_map.h"
#include "server/devices/xspace/left_out.h"
#include "server/devices/xspace/ratio.h"
#include "server/devices/xspace/tools.h"

namespace mlprof::server::xspace {
namespace {

constexpr double kSmallBytes = 16 * 1024;
constexpr std::size_t kMostPrograms = 1'000;
constexpr std::size_t kMostHeapPoints = 200'000;
constexpr std::size_t kMostRowsOfMemory = 10'000;  // of buffers, and of allocations

std::string Cut(std::string_view text) { return std::string(CutName(text)); }

std::string_view GroupOf(const BufferAllocation& allocation) {
  if (allocation.is_parameter) return "parameter";
  if (allocation.is_live_out) return "output";
  if (allocation.is_thread_local) return "threadLocal";
  if (allocation.is_constant) return "constant";
  return "temporary";
}

class Viewer {
 public:
  Viewer(const HloModule& module, std::int64_t memory_space, const TimeLimit& time)
      : module_(module),
        space_(memory_space),
        time_(time),
        heap_(WalkHeap(module, memory_space, time)) {
    for (const BufferAllocation& allocation : module.allocations) {
      for (const auto& assigned : allocation.assigned)
        allocation_of_[assigned.buffer] = &allocation;
    }
  }

  double peak() const { return heap_.peak; }

  Json Render() const {
    Json sizes = Json::array(), unpadded = Json::array(), instructions = Json::array();
    for (std::size_t i = 0; i < heap_.sizes.size() && i < kMostHeapPoints; ++i) {
      sizes.push_back(heap_.sizes[i] / kBytesOfMib);
      unpadded.push_back(heap_.unpadded[i] / kBytesOfMib);
      instructions.push_back(Cut(heap_.instructions[i]));
    }
    const std::size_t points_left_out = heap_.sizes.size() - sizes.size();
    std::size_t buffers_left_out = 0;
    Json in_order = AtPeak(buffers_left_out);
    std::vector<std::size_t> by_size(in_order.size());
    for (std::size_t i = 0; i < by_size.size(); ++i) by_size[i] = i;
    std::stable_sort(by_size.begin(), by_size.end(), [&](std::size_t a, std::size_t b) {
      return in_order[a]["sizeInMib"].get<double>() > in_order[b]["sizeInMib"].get<double>();
    });
    Json out = {{"module", Cut(module_.name)},
                {"entryComputation", Cut(module_.entry)},
                {"memorySpace", space_},
                {"peakInMib", heap_.peak / kBytesOfMib},
                {"peakUnpaddedInMib", heap_.unpadded_peak / kBytesOfMib},
                {"peakPosition", heap_.peak_position},
                {"peakInstruction", heap_.peak_position < heap_.instructions.size()
                                        ? Cut(heap_.instructions[heap_.peak_position])
                                        : std::string()},
                {"heapInMib", std::move(sizes)},
                {"unpaddedHeapInMib", std::move(unpadded)},
                {"instructions", std::move(instructions)},
                {"buffers", std::move(in_order)},
                {"buffersBySize", by_size},
                {"allocations", Json::array()}};
    TellLeftOut(out, "heap", points_left_out);
    TellLeftOut(out, "buffers", buffers_left_out);
    AddAllocations(out);
    AddTotals(out);
    return out;
  }

 private:
  // What lasts, then what is temporary, in the order of the program; the small ones as one.
  Json AtPeak(std::size_t& left_out) const {
    Json out = Json::array();
    double small = 0, small_unpadded = 0;
    std::size_t small_count = 0;
    const auto add = [&](std::int64_t id) {
      const auto found = module_.buffers.find(id);
      if (found == module_.buffers.end() || time_.OverNow()) return;
      if (static_cast<double>(found->second.size) >= kSmallBytes) {
        if (out.size() >= kMostRowsOfMemory) {
          ++left_out;
          return;
        }
        return out.push_back(BufferJson(found->second));
      }
      small += static_cast<double>(found->second.size);
      small_unpadded += UnpaddedBytes(module_, found->second);
      ++small_count;
    };
    for (const std::int64_t id : heap_.indefinite_buffers) add(id);
    for (const std::int64_t id : heap_.live_at_peak) add(id);
    if (small_count > 0) {
      out.push_back({{"name", "small (each below 16 KiB)"},
                     {"count", small_count},
                     {"group", "small"},
                     {"sizeInMib", small / kBytesOfMib},
                     {"unpaddedInMib", small_unpadded / kBytesOfMib}});
    }
    return out;
  }

  Json BufferJson(const LogicalBuffer& buffer) const {
    const double unpadded = UnpaddedBytes(module_, buffer);
    const auto size = static_cast<double>(buffer.size);
    Json out = {{"id", buffer.id},
                {"sizeInMib", size / kBytesOfMib},
                {"unpaddedInMib", unpadded / kBytesOfMib},
                {"expansion", Ratio(size, unpadded)}};
    const auto allocation = allocation_of_.find(buffer.id);
    if (allocation != allocation_of_.end()) {
      out["group"] = GroupOf(*allocation->second);
      out["allocation"] = allocation->second->index;
    }
    const auto span = heap_.spans.find(buffer.id);
    if (span != heap_.spans.end()) out["span"] = {span->second.first, span->second.second};
    const HloInstruction* instruction = module_.InstructionOf(buffer);
    if (instruction == nullptr) {
      out["name"] = Cut(buffer.instruction_name);
      return out;
    }
    const DecodedShape decoded = DecodeShape(instruction->shape, buffer.shape_index);
    out["name"] = Cut(instruction->name);
    out["opcode"] = Cut(instruction->opcode);
    out["shape"] = decoded.is_array ? Text(decoded.shape) : "tuple";
    out["provenance"] = Cut(instruction->op_name);
    if (!instruction->source_file.empty()) {
      out["source"] =
          Cut(instruction->source_file) + ":" + std::to_string(instruction->source_line);
    }
    return out;
  }

  void AddAllocations(Json& out) const {
    Json& rows = out["allocations"];
    std::size_t left_out = 0;
    for (const BufferAllocation& allocation : module_.allocations) {
      if (allocation.color != space_) continue;
      if (rows.size() >= kMostRowsOfMemory) {
        ++left_out;
        continue;
      }
      rows.push_back({{"index", allocation.index},
                      {"sizeInMib", static_cast<double>(allocation.size) / kBytesOfMib},
                      {"group", GroupOf(allocation)},
                      {"lastsAllRun", allocation.IsIndefinite()},
                      {"reusable", !allocation.is_thread_local && !allocation.is_tuple},
                      {"buffers", allocation.assigned.size()}});
    }
    TellLeftOut(out, "allocations", left_out);
  }

  // Of all memories, as XProf sums them.
  void AddTotals(Json& out) const {
    double parameters = 0, live_out = 0, fixed = 0, total = 0, indefinite = 0;
    for (const BufferAllocation& allocation : module_.allocations) {
      const auto size = static_cast<double>(allocation.size);
      if (allocation.is_parameter) parameters += size;
      if (allocation.is_live_out) live_out += size;
      if (allocation.is_thread_local || allocation.is_tuple) fixed += size;
      if (allocation.IsIndefinite()) indefinite += size;
      if (!allocation.is_thread_local) total += size;
    }
    out["parametersInMib"] = parameters / kBytesOfMib;
    out["outputsInMib"] = live_out / kBytesOfMib;
    out["notReusableInMib"] = fixed / kBytesOfMib;
    out["allocatedInMib"] = total / kBytesOfMib;
    out["lastingInMib"] = indefinite / kBytesOfMib;
  }

  const HloModule& module_;
  const std::int64_t space_;
  const TimeLimit& time_;
  const HeapTimeline heap_;
  IdMap<const BufferAllocation*> allocation_of_;
};

}  // namespace

Result<Json> MemoryViewer(const Trace& trace, const ToolOptions& options) {
  Json modules = Json::array();
  Json largest = nullptr;
  double most = -1;
  HloLimits limits;
  const auto programs = HloProtos(trace);
  for (const auto& [name, bytes] : programs) {
    if (options.time.OverNow()) break;
    const std::string said = Cut(name);
    if (modules.size() < kMostPrograms) modules.push_back(said);
    if (!options.module.empty() && options.module != said) continue;
    MLPROF_LET(module, ReadHlo(bytes, limits));
    const Viewer viewer(module, options.memory_space, options.time);
    if (viewer.peak() <= most) continue;
    most = viewer.peak();
    largest = viewer.Render();
    largest["name"] = said;
  }
  if (!options.module.empty() && largest.is_null()) {
    return Fail(NotFound("the trace holds no program \"" + options.module + "\""));
  }
  const std::size_t left_out = programs.size() - modules.size();
  Json out = {{"modules", std::move(modules)}, {"memory", std::move(largest)}};
  TellLeftOut(out, "modules", left_out);
  return out;
}

}  // namespace mlprof::server::xspace
